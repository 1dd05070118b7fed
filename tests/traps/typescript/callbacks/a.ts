import { job, log } from "./b";

describe("a suite", () => { //-> a.ts:describe@21
  it("works", async () => { //-> a.ts:it@22
    await Promise.all([1].map((x) => job(x))); //-> external, external, b.ts:job
    setTimeout(() => log("x"), 1); //-> external, b.ts:log
  });
});

export const handlers = {
  one: (x: number) => job(x), //-> b.ts:job
  two() {
    return log("y"); //-> b.ts:log
  },
};

export const later = function () {
  return log("z"); //-> b.ts:log
};

declare function describe(name: string, body: () => void): void;
declare function it(name: string, body: () => void): void;
