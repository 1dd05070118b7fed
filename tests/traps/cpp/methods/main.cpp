#include "shop.hpp"
int hidden(int x) { return x; }
int main() {
  shop::Cart cart;
  cart.add(1); //-> shop.cpp:shop.Cart.add | shop.hpp:shop.Cart.add
  cart.inlined(2); //-> shop.hpp:shop.Cart.inlined
  auto *other = new shop::Cart();
  other->add(2); //-> shop.cpp:shop.Cart.add | shop.hpp:shop.Cart.add
  hidden(3); //-> main.cpp:hidden
  return shop::total(cart); //-> shop.cpp:shop.total | shop.hpp:shop.total
}
