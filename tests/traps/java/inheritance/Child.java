class Child extends Base {
    void step() {
        run(); //-> Base.java:Base.run
        engine.start(); //-> Base.java:Engine.start
    }

    static void use(Child child) {
        child.shared(); //-> Base.java:Base.shared
        child.step(); //-> Child.java:Child.step
        child.hashCode(); //-> external
    }
}
