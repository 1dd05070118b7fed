static int even(int x);
static int odd(int x) { return x ? even(x - 1) : 0; } //-> a.c:even
static int even(int x) { return x ? odd(x - 1) : 1; } //-> a.c:odd
int use(void) { return even(2); } //-> a.c:even
