static int helper(int x);
int use_b(void) { return helper(2); } //-> b.c:helper
static int helper(int x) { return x + 1; }
