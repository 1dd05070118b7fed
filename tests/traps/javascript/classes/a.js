export class Base {
  constructor() {
    this.inner = new Inner(); //-> a.js:Inner
  }
  run() {
    this.inner.go(); //-> a.js:Inner.go
    return this.step(); //-> a.js:Base.step
  }
  step() {}
  static make() {
    return new Base(); //-> a.js:Base | a.js:Base.constructor
  }
}
class Inner {
  go() {}
}
export class Child extends Base {
  step() {
    super.step(); //-> a.js:Base.step
    Child.make(); //-> a.js:Base.make
  }
}
