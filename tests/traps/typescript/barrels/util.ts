export function helper(x: number): number {
  return x;
}
export function total(x: number): number {
  return x;
}
