package other;

class Tools {
    static int make() {
        return 2;
    }

    static int use() {
        return Tools.make(); //-> test/other/Tools.java:Tools.make
    }
}
