export function outer(): number {
  function helper(): number {
    return 1;
  }
  const inner = (n: number): number => inner(n - 1); //-> a.ts:inner@5
  return helper() + inner(1); //-> a.ts:outer.helper, a.ts:inner@5
}
export function other(): number {
  return helper(); //-> a.ts:helper
}
function helper(): number {
  return 2;
}
