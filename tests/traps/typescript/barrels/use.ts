import Default, { Cart, assist, money, Shop, total } from "./index";
import * as all from ".";

export function use(): void {
  new Cart().add(1); //-> cart.ts:Cart, cart.ts:Cart.add
  assist(1); //-> util.ts:helper
  money.round(1); //-> money.ts:round
  total(1); //-> cart.ts:total
  new Shop().open(); //-> shop.ts:Shop, shop.ts:Shop.open
  new Default().open(); //-> shop.ts:Shop, shop.ts:Shop.open
  all.total(2); //-> cart.ts:total
  all.money.round(2); //-> money.ts:round
}
