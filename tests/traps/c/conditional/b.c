#ifdef FAST
int run(int x) { return x; }
#else
int run(int x) {
  return x + 1;
}
#endif
int other(void) { return run(1); } //-> b.c:run
