export function before(): number {
  return helper(); //-> a.ts:helper
}

export const x = { a: 1,, };

function helper(): number {
  return 1;
}

export function after(): number {
  return helper(); //-> a.ts:helper
}
