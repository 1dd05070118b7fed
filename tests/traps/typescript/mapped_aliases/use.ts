import { AliasNode, Api, TableNode } from './nodes'

export function use(api: Api, node: TableNode): void {
  TableNode.create('a') //-> nodes.ts:TableNode.create | nodes.ts:TableNodeFactory.create
  if (TableNode.matches(node)) { //-> nodes.ts:TableNode.matches | nodes.ts:TableNodeFactory.matches
    AliasNode.create('b') //-> nodes.ts:AliasNode.create
  }
  api.run() //-> nodes.ts:Api.run
}
