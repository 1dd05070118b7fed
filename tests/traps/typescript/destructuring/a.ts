export class Cart {
  total(): number {
    return 1;
  }
  next(): Cart {
    return this;
  }
}

export class Other {
  total(): number {
    return 2;
  }
}

export function known(cart: Cart): void {
  const { total, next: more } = cart;
  total(); //-> a.ts:Cart.total
  more(); //-> a.ts:Cart.next
  const again = cart.total;
  again(); //-> a.ts:Cart.total
}

export function unknown(cart: any): void {
  const { total } = cart;
  total(); //-> ? possible a.ts:Cart.total a.ts:Other.total
}

export function given(run: () => void, { total }: Other): void {
  run(); //-> ?
}
