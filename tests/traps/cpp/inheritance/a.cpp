class Base {
 public:
  virtual ~Base() {}
  virtual int run() { return step(); } //-> a.cpp:Base.step possible a.cpp:Child.step
  virtual int step() { return 1; }
  int shared() { return 2; }
};
class Child : public Base {
 public:
  int step() override { return Base::step(); } //-> a.cpp:Base.step
  int go() {
    shared(); //-> a.cpp:Base.shared
    return this->run(); //-> a.cpp:Base.run
  }
};
int use(Base &base, Child *child) {
  child->shared(); //-> a.cpp:Base.shared
  child->step(); //-> a.cpp:Child.step
  return base.step(); //-> a.cpp:Base.step possible a.cpp:Child.step
}
