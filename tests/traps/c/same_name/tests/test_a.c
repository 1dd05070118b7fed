int start(void) { return 2; }
int main(void) { return start(); } //-> tests/test_a.c:start
