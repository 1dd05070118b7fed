class File {
  close(): void {}
  flushPages(): void {}
}
class Door {
  close(): void {}
}
export function use(thing: any, unknowns: unknown[], get: () => any): void {
  thing.close(); //-> ?
  thing.flushPages(); //-> ?
  get().flushPages(); //-> ?, ?
  (unknowns[0] as any).close(); //-> ?
  const made = JSON.parse("{}"); //-> external
  made.close(); //-> ?
}
