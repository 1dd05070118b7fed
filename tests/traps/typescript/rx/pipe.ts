export function pipe(x: unknown): unknown {
  return x;
}
export function take(x: number): number {
  return x;
}
