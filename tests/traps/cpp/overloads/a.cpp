int size(int x) { return x; }
int size(const char *x) { return 1; }
int size(int x, int y) { return x + y; }
int use() {
  size(1); //-> a.cpp:size
  return size(1, 2); //-> a.cpp:size
}
