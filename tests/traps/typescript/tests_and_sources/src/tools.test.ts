import * as real from "./tools";

class FakeClient {
  call(): number {
    return make(); //-> src/tools.test.ts:make
  }
}
function make(): number {
  return 2;
}
make(); //-> src/tools.test.ts:make
real.make(); //-> src/tools.ts:make
new FakeClient().call(); //-> src/tools.test.ts:FakeClient, src/tools.test.ts:FakeClient.call
new real.FakeClient().call(); //-> src/tools.ts:FakeClient, src/tools.ts:FakeClient.call
