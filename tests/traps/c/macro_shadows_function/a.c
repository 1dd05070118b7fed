int fetch(int x) { return x; }
#define fetch(x) ((x) + 1)
int use(void) {
  return fetch(1); //-> a.c:fetch~macro
}
