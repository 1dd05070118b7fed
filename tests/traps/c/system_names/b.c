static int read(int a, void *b, int c) { return a; }
static void free(void *x) {}
int own(void) {
  free(0); //-> b.c:free
  return read(1, 0, 2); //-> b.c:read
}
