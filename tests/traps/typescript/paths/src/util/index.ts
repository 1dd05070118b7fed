export function helper(): void {}
