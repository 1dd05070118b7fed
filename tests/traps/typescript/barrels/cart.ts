import { helper } from "./util";

export class Cart {
  add(x: number): number {
    return helper(x); //-> util.ts:helper
  }
}
export function total(x: number): number {
  return hidden(x); //-> cart.ts:hidden
}
function hidden(x: number): number {
  return x;
}
