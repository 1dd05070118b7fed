import { freeze } from './util'

export interface TableNode {
  readonly kind: 'TableNode'
}

type TableNodeFactory = Readonly<{
  matches(node: object): node is TableNode
  create(name: string): Readonly<TableNode>
}>

export const TableNode: TableNodeFactory = freeze<TableNodeFactory>({ //-> util.ts:freeze
  matches(node): node is TableNode {
    return true
  },

  create(name) {
    return freeze({ kind: 'TableNode' }) //-> util.ts:freeze
  },
})

export const AliasNode = freeze({ //-> util.ts:freeze
  create: (name: string) => TableNode.create(name), //-> nodes.ts:TableNode.create | nodes.ts:TableNodeFactory.create
})

export type Api = Partial<{
  run(): void
  deep: { stop(): void }
}>
