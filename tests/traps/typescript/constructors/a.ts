export class Base {
  constructor(public x: number) {
    this.setup(); //-> a.ts:Base.setup
  }
  setup(): void {}
}

export class Child extends Base {
  constructor() {
    super(1);
    super.setup(); //-> a.ts:Base.setup
  }
  setup(): void {
    super.setup(); //-> a.ts:Base.setup
  }
  static of(): Child {
    return new this();
  }
}

export class Silent extends Base {}

export function use(): void {
  new Base(1); //-> a.ts:Base | a.ts:Base.constructor
  new Child().setup(); //-> a.ts:Child | a.ts:Child.constructor, a.ts:Child.setup
  new Silent(1).setup(); //-> a.ts:Silent | a.ts:Base.constructor, a.ts:Base.setup
  Child.of().setup(); //-> a.ts:Child.of, a.ts:Child.setup
}
