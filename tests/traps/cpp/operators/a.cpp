struct Text {
  Text operator+(const Text &other) const { return Text(); } //-> a.cpp:Text
  int operator()(int x) { return x; }
  int length() { return 1; }
};
int use(Text one, Text other) {
  one(1); //-> ? | a.cpp:Text.operator()
  return (one + other).length(); //-> a.cpp:Text.length
}
