export default function helper(x) {
  return x;
}
export const other = (x) => helper(x); //-> b.mjs:helper
