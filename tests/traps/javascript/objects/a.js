export const api = {
  load(x) {
    return this.parse(x); //-> a.js:parse@5
  },
  parse: function (x) {
    return x;
  },
  save: (x) => api.load(x), //-> a.js:load@2
};

export function use(kind) {
  api.load(1); //-> a.js:load@2
  api.save(1); //-> a.js:save@8
  api[kind](1);
}
