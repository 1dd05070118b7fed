#define helper(x) ((x) + 1)
int before(int x) { return helper(x); } //-> a.c:helper~macro
#undef helper
int helper(int x) { return x; }
int after(int x) { return helper(x); } //-> a.c:helper~function
