enum Level {
    LOW {
        @Override
        int rank() {
            return base(); //-> Level.java:Level.base
        }
    },
    HIGH;

    int rank() {
        return 2;
    }

    static int base() {
        return 1;
    }

    static int use(Level level) {
        Level.valueOf("LOW"); //-> external
        Level.HIGH.rank(); //-> Level.java:Level.rank
        return level.rank(); //-> Level.java:Level.rank
    }
}
