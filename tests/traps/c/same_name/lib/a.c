int start(void) { return 1; }
int use(void) { return start(); } //-> lib/a.c:start
