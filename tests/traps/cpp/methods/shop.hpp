#pragma once
namespace shop {
class Cart {
 public:
  Cart();
  int add(int x);
  int inlined(int x) { return add(x); } //-> shop.cpp:shop.Cart.add | shop.hpp:shop.Cart.add
 private:
  int total_ = 0;
};
int total(const Cart &cart);
}
