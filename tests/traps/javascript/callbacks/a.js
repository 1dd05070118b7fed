import { job } from "./b.js";

test("works", () => { //-> ?
  [1, 2].forEach((x) => job(x)); //-> external, b.js:job
  items.filter(function (x) { //-> ?
    return job(x); //-> b.js:job
  });
});
