class File {
  close() {}
  flushPages() {}
}
class Door {
  close() {}
}
export function use(thing, ...rest) {
  thing.close(); //-> ?
  thing.flushPages(); //-> ?
  rest[0].close(); //-> ?
  new File().close(); //-> a.js:File, a.js:File.close
  const door = new Door(); //-> a.js:Door
  door.close(); //-> a.js:Door.close
}
