import { helper } from "./b.js";

export function parameter(helper) {
  return helper(); //-> ?
}
export function hoisted() {
  return later(); //-> a.js:later
}
function later() {
  return helper(); //-> b.js:helper
}
export function block() {
  {
    let helper = () => 1;
    helper(); //-> ?
  }
  return helper(); //-> b.js:helper
}
