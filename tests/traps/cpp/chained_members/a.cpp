struct Engine {
  void start() {}
};
class Car {
 public:
  void go() {
    engine_.start(); //-> a.cpp:Engine.start
    this->engine_.start(); //-> a.cpp:Engine.start
    spare_->start(); //-> a.cpp:Engine.start
    next_->engine_.start(); //-> a.cpp:Engine.start
  }
 private:
  Engine engine_;
  Engine *spare_;
  Car *next_;
};
