#include "a.h"
int helper(int x) { return x; }
int parameter(int (*helper)(int)) { return helper(1); } //-> ?
int local(void) {
  int (*helper)(void) = parameter_target;
  return helper(); //-> ?
}
int plain(void) { return helper(2); } //-> a.c:helper
