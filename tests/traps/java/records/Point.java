record Point(int x, int y) {
    int sum() {
        return x() + y(); //-> ? | Point.java:x@1, ? | Point.java:y@1
    }

    static int use() {
        return new Point(1, 2).sum(); //-> Point.java:Point, Point.java:Point.sum
    }
}
