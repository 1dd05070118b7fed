import { helper as h, type Thing } from "./b.js";
import * as bee from "./b";
import { helper as outside } from "left-pad";

export function use(thing: Thing): void {
  h(1); //-> b.ts:helper
  bee.helper(1); //-> b.ts:helper
  outside(1); //-> external
  thing.run(); //-> b.ts:Thing.run
  helper(); //-> a.ts:helper
}
function helper(): void {}
