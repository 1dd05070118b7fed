export class Thing {
  run(): void {}
}
export function useThing(): Thing {
  return new Thing(); //-> hooks.ts:Thing
}
