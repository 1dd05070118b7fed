import { Base as Root } from "./base";
import * as base from "./base";

class Child extends Root {
  step(): number {
    return this.run(); //-> base.ts:Base.run
  }
}
class Far extends base.Base {
  go(): void {
    this.run(); //-> base.ts:Base.run
    this.step(); //-> base.ts:Base.step
  }
}
class Bag extends Map<string, number> {
  go(): void {
    this.clear(); //-> external
    this.own(); //-> a.ts:Bag.own
  }
  own(): void {}
}
export function use(child: Child, far: Far, bag: Bag): void {
  child.step(); //-> a.ts:Child.step
  child.run(); //-> base.ts:Base.run
  far.step(); //-> base.ts:Base.step
  bag.get("x"); //-> external
}
