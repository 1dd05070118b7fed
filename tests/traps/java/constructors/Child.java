class Child extends Base {
    Child() {
        super(1);
        super.setup(); //-> Base.java:Base.setup
    }

    @Override
    void setup() {
        super.setup(); //-> Base.java:Base.setup
    }

    static void use() {
        new Child().setup(); //-> Child.java:Child | Child.java:Child.Child, Child.java:Child.setup
        new Base(1).setup(); //-> Base.java:Base | Base.java:Base.Base, Base.java:Base.setup
    }
}
