export function helper(x: number): number {
  return x;
}
export interface Thing {
  run(): void;
}
