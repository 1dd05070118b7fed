#pragma once
namespace shop {
class Cart {
 public:
  int first = 1;
  int add(int x);
  int twice(int x);
  int inlined(int x) { return x; }
 private:
  int total_ = 0;
};
int total(const Cart &cart);
}
