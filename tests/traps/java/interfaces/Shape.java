interface Shape {
    int area();

    default int twice() {
        return area() * 2; //-> Shape.java:Shape.area possible Square.java:Square.area Disc.java:Disc.area
    }
}
