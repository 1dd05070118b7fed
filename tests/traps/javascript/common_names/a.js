export class List {
  push(x) {}
  forEach(x) {}
}
export function use(xs) {
  const rows = [];
  rows.push(1); //-> external
  xs.forEach((x) => x); //-> ?
  document.querySelector("x"); //-> external
  new List().push(1); //-> a.js:List, a.js:List.push
}
export function querySelector(x) {}
