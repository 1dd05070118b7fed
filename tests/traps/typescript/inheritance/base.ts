export class Base {
  run(): number {
    return this.step(); //-> base.ts:Base.step possible a.ts:Child.step
  }
  step(): number {
    return 1;
  }
  get(x: string): string {
    return x;
  }
}
