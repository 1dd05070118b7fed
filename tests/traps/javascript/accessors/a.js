class Engine {
  start() {}
}
export class Car {
  #inner = new Engine(); //-> a.js:Engine
  get engine() {
    return this.#inner;
  }
  handler = () => this.go(); //-> a.js:Car.go
  go() {
    this.#inner.start(); //-> a.js:Engine.start
    this.handler(); //-> a.js:Car.handler
    this.engine.start(); //-> a.js:Engine.start
  }
}
