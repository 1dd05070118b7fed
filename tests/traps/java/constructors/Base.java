class Base {
    Base(int x) {
        setup(); //-> Base.java:Base.setup possible Child.java:Child.setup
    }

    void setup() {}
}
