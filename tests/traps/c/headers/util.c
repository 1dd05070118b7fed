#include "util.h"

int helper(int x) { return twice(x); } //-> util.h:twice
int counted(int x) { return helper(x); } //-> util.c:helper
