export function freeze<T>(value: T): Readonly<T> {
  return value
}

export const Plain = {
  create(name: string) {
    return this.check(name) //-> nodes.ts:Plain.check
  },
  check: (name: string) => name,
}

export const Frozen = freeze({ //-> nodes.ts:freeze
  create(name: string) {
    return name
  },
})

export const Typed = {
  create: function (name: string) {
    return name
  },
} satisfies object

export const Constant = { create: () => 1 } as const

export function optional(name: string) {
  return name
}

export const Api = {
  optional() {
    return optional('x') //-> nodes.ts:optional
  },
  async late() {
    return optional('y') //-> nodes.ts:optional
  },
}
