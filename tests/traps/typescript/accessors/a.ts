class Engine {
  start(): void {}
}
export class Car {
  private inner: Engine = new Engine(); //-> a.ts:Engine
  get engine(): Engine {
    return this.inner;
  }
  #secret(): void {}
  handler = () => {
    this.#secret(); //-> a.ts:Car.#secret
  };
  go(): void {
    this.engine.start(); //-> a.ts:Engine.start
    this.handler(); //-> a.ts:Car.handler
  }
}
export function use(car: Car): void {
  car.engine.start(); //-> a.ts:Engine.start
}
