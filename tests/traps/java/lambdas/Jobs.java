import java.util.List;

class Jobs {
    static int job(int x) {
        return x;
    }

    void use(List<Integer> xs, Runnable given) {
        xs.forEach(x -> job(x)); //-> external, Jobs.java:Jobs.job
        xs.forEach(Jobs::job); //-> external, Jobs.java:Jobs.job
        Runnable local = () -> job(1); //-> Jobs.java:Jobs.job
        local.run(); //-> external
        given.run(); //-> external
        new Thread(() -> job(2)).start(); //-> external, Jobs.java:Jobs.job, external
    }

    void run() {}
}
