#include "shop.h"
int hidden(int x) { return x; }
int main() {
  shop::Cart cart;
  cart.add(1); //-> shop.cpp:shop.Cart.add | shop.h:add@6
  cart.inlined(2); //-> shop.h:inlined@8
  auto *other = new shop::Cart();
  other->add(2); //-> shop.cpp:shop.Cart.add | shop.h:add@6
  hidden(3); //-> main.cpp:hidden
  return shop::total(cart); //-> shop.cpp:shop.total | shop.h:total@12
}
