export function size(x: number): number;
export function size(x: string): string;
export function size(x: any): any {
  return x;
}
export class Reader {
  read(x: number): number;
  read(x: string): string;
  read(x: any): any {
    return size(x); //-> a.ts:size
  }
}
export function use(reader: Reader): void {
  size("x"); //-> a.ts:size
  reader.read(1); //-> a.ts:Reader.read
}
