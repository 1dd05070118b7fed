import static tools.Maths.*;

class Use {
    void run() {
        twice(1); //-> tools/Maths.java:Maths.twice
        own(2); //-> Use.java:Use.own
    }

    static int own(int x) {
        return x;
    }
}
