package app;

class Tools {
    static int make() {
        return 1;
    }

    static int use() {
        return Tools.make(); //-> src/app/Tools.java:Tools.make
    }
}
