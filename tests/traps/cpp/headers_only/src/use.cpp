#include "../lib/text.hpp"
static int trim(int x) { return x + 1; }
int use() {
  trim(1); //-> src/use.cpp:trim
  return lib::trim(1); //-> lib/text.hpp:lib.trim
}
