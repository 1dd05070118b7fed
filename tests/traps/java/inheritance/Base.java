class Base {
    protected Engine engine;

    void run() {
        step(); //-> Base.java:Base.step possible Child.java:Child.step
    }

    void step() {}

    void shared() {}
}

class Engine {
    void start() {}
}
