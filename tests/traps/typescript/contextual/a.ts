import { Handler, Item, Taker, each, later, makes } from "./b";

class Own {
  go(): void {}
}

type Named = (own: Own, item: Item) => void;

function local(run: (own: Own) => void): void {
  run(new Own()); //-> ?, a.ts:Own
}

function named(run: Named | null, more?: { run: Named }): void {}

function generic<Own>(value: Own, run: (own: Own) => void): void {}

function many(run: (item: Item) => void): void;
function many(run: (own: Own, item: Item) => void): void;
function many(run: any): void {}

local((own) => own.go()); //-> a.ts:local, a.ts:Own.go
local(own => own.go()); //-> a.ts:local, a.ts:Own.go
local(function (own) { own.go(); }); //-> a.ts:local, a.ts:Own.go
named((own, item) => { //-> a.ts:named
  own.go(); //-> a.ts:Own.go
  item.go(); //-> b.ts:Item.go
});
each(1, (item, index) => item.go()); //-> b.ts:each, b.ts:Item.go
later((item) => { //-> b.ts:later
  item.go(); //-> b.ts:Item.go
  [item].forEach((one) => one.go()); //-> external, b.ts:Item.go
});
new Taker((item) => item.go()); //-> b.ts:Taker, b.ts:Item.go
new Taker(() => {}).on((item) => item.go()); //-> b.ts:Taker, b.ts:Taker.on, b.ts:Item.go
makes().forEach((item) => item.go()); //-> b.ts:makes, external, b.ts:Item.go
makes().reduce((all, item) => item.go(), 1); //-> b.ts:makes, external, b.ts:Item.go

export function handler(this: Item, own: Own, unknown: Handler): void {
  this.go(); //-> b.ts:Item.go
  own.go(); //-> a.ts:Own.go
  const inner = () => this.go(); //-> b.ts:Item.go
  class Inner {
    go(): void {}
    run(): void {
      this.go(); //-> a.ts:handler.Inner.go
    }
  }
}
