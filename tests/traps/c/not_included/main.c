#include <assert.h>

int run(int x) {
  assert(x); //-> external
  return isnan(x); //-> external
}
