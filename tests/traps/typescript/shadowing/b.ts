export function helper(): void {}
export class Thing {}
