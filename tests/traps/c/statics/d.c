int helper(int x);
int use_d(void) { return helper(3); } //-> c.c:helper | d.c:helper
