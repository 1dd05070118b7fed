export namespace Money {
  export function round(x: number): number {
    return hidden(x); //-> a.ts:Money.hidden
  }
  function hidden(x: number): number {
    return x;
  }
  export namespace Deep {
    export function low(): number {
      return round(1); //-> a.ts:Money.round
    }
  }
}
function hidden(x: number): number {
  return Money.round(x); //-> a.ts:Money.round
}
export function use(): void {
  hidden(1); //-> a.ts:hidden
  Money.Deep.low(); //-> a.ts:Money.Deep.low
}
