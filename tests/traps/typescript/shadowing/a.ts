import { helper, Thing } from "./b";

export function parameter(helper: () => void): void {
  helper(); //-> ?
}
export function local(): void {
  const helper = () => 1;
  helper(); //-> ?
}
export function block(flag: boolean): void {
  if (flag) {
    const helper = () => 2;
    helper(); //-> ?
  }
  helper(); //-> b.ts:helper
}
export function destructured({ helper }: { helper: () => void }): void {
  helper(); //-> ?
}
export class Own {
  helper(): void {
    helper(); //-> b.ts:helper
    this.helper(); //-> a.ts:Own.helper
  }
}
export function caught(): void {
  try {
    new Thing(); //-> b.ts:Thing
  } catch (helper: any) {
    helper(); //-> ?
  }
}
