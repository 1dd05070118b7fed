declare module "rxjs/operators" {
  export function take(x: number): number;
}
