import helper, { other as assist } from "./b.mjs";
import * as bee from "./b.mjs";

export function use() {
  helper(1); //-> b.mjs:helper
  assist(1); //-> b.mjs:other
  bee.other(1); //-> b.mjs:other
  bee.default(1); //-> b.mjs:helper
}
