export default function main(x: number): number {
  return x;
}
export function other(x: number): number {
  return main(x); //-> a.ts:main
}
