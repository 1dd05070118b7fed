import { Constant, Frozen, Plain, Typed } from './nodes'

export function use() {
  Plain.create('a') //-> nodes.ts:Plain.create
  Plain.check('b') //-> nodes.ts:Plain.check
  Frozen.create('c') //-> nodes.ts:Frozen.create
  Typed.create('d') //-> nodes.ts:Typed.create
  Constant.create() //-> nodes.ts:Constant.create
}
