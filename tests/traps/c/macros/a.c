#include "macros.h"

void fail(const char *text) {}
int real_name(int x) { return x; }
int plain_name_user(int x) {
  CHECK(x); //-> macros.h:CHECK
  return TWICE(plain_name(x)); //-> macros.h:TWICE, macros.h:plain_name
}
#define LOCAL(x) helper(x)
static int helper(int x) { return x; }
int use(int x) {
  return LOCAL(x) + (real_name)(x); //-> a.c:LOCAL
}
