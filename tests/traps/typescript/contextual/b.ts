export class Item {
  go(): void {}
}

export type Handler = (item: Item) => void;

export interface Later {
  (item: Item): void;
}

export function each(count: number, run: (item: Item, index: number) => void): void {}

export function later(run: Handler): void {}

export class Taker {
  constructor(private run?: (this: Taker, item: Item) => void) {}
  on(run: ((item: Item) => void) | null): void {}
}

export function makes(): Item[] {
  return [];
}
