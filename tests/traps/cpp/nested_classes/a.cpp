class Outer {
 public:
  class Inner {
   public:
    int run() { return step(); } //-> a.cpp:step@6
    int step() { return 1; }
  };
  int run() { return inner.run(); } //-> a.cpp:run@5
  Inner inner;
};
class Inner {
 public:
  int run() { return 2; }
};
int use(Outer::Inner one, Inner other) {
  other.run(); //-> a.cpp:Inner.run
  return one.run(); //-> a.cpp:run@5
}
