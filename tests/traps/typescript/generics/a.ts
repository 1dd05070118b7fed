export class Item {
  run(): void {}
}
export class Holder<T> {
  constructor(private x: T) {}
  get(): T {
    return this.x;
  }
  own(): void {
    this.get(); //-> a.ts:Holder.get
  }
}
export function use(xs: Item[], holder: Holder<Item>, maybe?: Item, either: Item | null = null): void {
  xs[0].run(); //-> a.ts:Item.run
  for (const one of xs) {
    one.run(); //-> a.ts:Item.run
  }
  xs.forEach((one) => one.run()); //-> external, a.ts:Item.run
  holder.get().run(); //-> a.ts:Holder.get, a.ts:Item.run
  maybe?.run(); //-> a.ts:Item.run
  either!.run(); //-> a.ts:Item.run
}
