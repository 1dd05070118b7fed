class Box {
 public:
  static Box make() { return Box(); } //-> a.cpp:Box
  static int count;
  int open() { return count_all(); } //-> a.cpp:Box.count_all
  static int count_all() { return count; }
};
int use() {
  return Box::make().open(); //-> a.cpp:Box.make, a.cpp:Box.open
}
