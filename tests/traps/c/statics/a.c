static int helper(int x) { return x; }
int use_a(void) { return helper(1); } //-> a.c:helper
