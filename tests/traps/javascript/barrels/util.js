export function helper() {}
export function total() {}
