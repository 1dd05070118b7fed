class Sizes {
    static int size(int x) {
        return x;
    }

    static int size(String x) {
        return 1;
    }

    static int size(int x, int y) {
        return size(x + y); //-> Sizes.java:Sizes.size
    }

    void use() {
        size(1, 2); //-> Sizes.java:Sizes.size~3
        size("x"); //-> Sizes.java:Sizes.size
    }
}
