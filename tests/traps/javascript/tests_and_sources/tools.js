export function make() {}
