export function job(x: number): number {
  return x;
}
export function log(x: string): void {}
