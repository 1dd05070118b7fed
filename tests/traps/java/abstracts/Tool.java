abstract class Tool {
    abstract void cut();

    void use() {
        cut(); //-> Tool.java:Tool.cut possible Tool.java:Saw.cut
        this.cut(); //-> Tool.java:Tool.cut possible Tool.java:Saw.cut
    }
}

class Saw extends Tool {
    void cut() {
        use(); //-> Tool.java:Tool.use
    }
}
