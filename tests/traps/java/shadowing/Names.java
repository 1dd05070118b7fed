class Names {
    Door box;

    void field() {
        box.open(); //-> Names.java:Door.open
    }

    void parameter(Box box) {
        box.open(); //-> Names.java:Box.open
        this.box.open(); //-> Names.java:Door.open
    }

    void local() {
        Box box = new Box(); //-> Names.java:Box
        box.open(); //-> Names.java:Box.open
    }

    void block(Object thing) {
        if (thing instanceof Box box) {
            box.open(); //-> Names.java:Box.open
        }
    }
}

class Box {
    void open() {}
}

class Door {
    void open() {}
}
