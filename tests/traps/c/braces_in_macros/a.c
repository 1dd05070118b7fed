#define FOREACH(x, n) for (int x = 0; x < (n); x++)
static int step(int x) { return x; }
int use(int n) {
  int sum = 0;
  FOREACH(i, n) { //-> a.c:FOREACH
    sum += step(i); //-> a.c:step
  }
  return sum;
}
