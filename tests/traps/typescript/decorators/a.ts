function logged(target: any, key: any): any {
  return target;
}
function named(name: string): any {
  return (target: any) => target;
}
@named("x") //-> a.ts:named
export class Box {
  @logged
  open(): void {
    this.close(); //-> a.ts:Box.close
  }
  @named("y") //-> a.ts:named
  close(): void {}
}
export function use(box: Box): void {
  box.open(); //-> a.ts:Box.open
}
