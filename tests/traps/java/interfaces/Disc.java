class Disc implements Shape {
    public int area() {
        return 3;
    }

    static int use(Shape shape, Square square) {
        square.area(); //-> Square.java:Square.area
        square.twice(); //-> Shape.java:Shape.twice
        return shape.area(); //-> Shape.java:Shape.area possible Square.java:Square.area Disc.java:Disc.area
    }
}
