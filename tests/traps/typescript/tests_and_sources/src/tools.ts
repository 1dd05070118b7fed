export function make(): number {
  return 1;
}
export class FakeClient {
  call(): number {
    return make(); //-> src/tools.ts:make
  }
}
