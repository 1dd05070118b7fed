class Task {
    void run() {}

    void other() {}

    static Task make() {
        return new Task() { //-> Task.java:Task
            @Override
            void run() {
                other(); //-> Task.java:Task.other
            }
        };
    }

    static void use() {
        make().run(); //-> Task.java:Task.make, Task.java:Task.run
    }
}
