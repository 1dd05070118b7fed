#define CHECK(x) ((x) ? 0 : fail())
static int fail() { return 1; }
int use(int x) {
  return CHECK(x); //-> a.cpp:CHECK
}
