declare module "left-pad" {
  export function helper(x: number): number;
}
