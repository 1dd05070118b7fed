class Outer {
    int helper() {
        return 1;
    }

    class Inner {
        int helper() {
            return 2;
        }

        int use() {
            helper(); //-> Outer.java:Outer.Inner.helper
            return Outer.this.helper(); //-> Outer.java:Outer.helper
        }

        int around() {
            return only(); //-> Outer.java:Outer.only
        }
    }

    static class Still {
        void run() {}
    }

    int only() {
        return 3;
    }

    void use(Inner inner) {
        inner.use(); //-> Outer.java:Outer.Inner.use
        new Still().run(); //-> Outer.java:Outer.Still, Outer.java:Outer.Still.run
        new Outer.Still().run(); //-> Outer.java:Outer.Still, Outer.java:Outer.Still.run
    }
}
