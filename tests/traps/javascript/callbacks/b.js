export function job(x) {
  return x;
}
export function filter(x) {
  return x;
}
