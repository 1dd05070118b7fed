export class Store {
  get(key: string): string {
    return key;
  }
  map(x: number): number {
    return x;
  }
  push(x: number): void {}
  then(): void {}
  log(x: string): void {}
}
export function take(x: number): number {
  return x;
}
export function use(p: Promise<number>): void {
  const found = new Map<string, string>(); //-> external
  found.get("x"); //-> external
  [1].map((x) => x); //-> external
  const rows: number[] = [];
  rows.push(1); //-> external
  p.then(() => 1); //-> external
  console.log("x"); //-> external
  new Store().get("x"); //-> a.ts:Store, a.ts:Store.get
}
