int helper() { return 1; }
int parameter(int (*helper)()) { return helper(); } //-> ?
int local() {
  auto helper = [] { return 2; };
  return helper(); //-> ?
}
class Own {
  int helper() { return ::helper(); } //-> a.cpp:helper
  int use() { return helper(); } //-> a.cpp:Own.helper
};
int plain() { return helper(); } //-> a.cpp:helper
