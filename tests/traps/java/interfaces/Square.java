class Square implements Shape {
    public int area() {
        return 4;
    }
}
