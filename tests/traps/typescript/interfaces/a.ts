export interface Shape {
  area(): number;
}
export class Square implements Shape {
  area(): number {
    return 4;
  }
}
export class Disc implements Shape {
  area(): number {
    return 3;
  }
}
export abstract class Tool {
  abstract cut(): void;
  use(): void {
    this.cut(); //-> a.ts:Tool.cut possible a.ts:Saw.cut
  }
}
export class Saw extends Tool {
  cut(): void {}
}
export function use(shape: Shape, tool: Tool, either: Square | Disc): void {
  shape.area(); //-> a.ts:Shape.area possible a.ts:Square.area a.ts:Disc.area
  tool.cut(); //-> a.ts:Tool.cut possible a.ts:Saw.cut
  either.area(); //-> a.ts:Square.area | a.ts:Disc.area
}
