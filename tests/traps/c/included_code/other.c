static int hidden(int x) { return x + 1; }
int other(void) { return hidden(1); } //-> other.c:hidden
