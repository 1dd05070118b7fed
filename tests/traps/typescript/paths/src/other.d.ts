declare module "@other/util" {
  export function helper(): void;
}
