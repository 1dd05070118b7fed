#include "shop.hpp"
namespace shop {
static int hidden(int x) { return x; }
Cart::Cart() { add(1); } //-> shop.cpp:shop.Cart.add | shop.hpp:shop.Cart.add
int Cart::add(int x) { return hidden(x); } //-> shop.cpp:shop.hidden
int total(const Cart &cart) { return 1; }
}
