struct Shape {
  virtual int area() = 0;
};
struct Square : Shape {
  int area() override { return 4; }
};
struct Disc : Shape {
  int area() override { return 3; }
};
int use(Shape *shape, Square square) {
  square.area(); //-> a.cpp:Square.area
  return shape->area(); //-> a.cpp:Shape.area possible a.cpp:Square.area a.cpp:Disc.area
}
