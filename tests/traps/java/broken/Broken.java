class Broken {
    int before() {
        return helper(); //-> Broken.java:Broken.helper
    }

    int middle = (1 + ;

    int helper() {
        return 1;
    }

    int after() {
        return helper(); //-> Broken.java:Broken.helper
    }
}
