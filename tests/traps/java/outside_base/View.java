import android.view.Panel;

class View extends Panel {
    void draw() {
        measure(); //-> ?
        own(); //-> View.java:View.own
        super.draw(); //-> external
    }

    void own() {}
}

class Other {
    void measure() {}

    void draw() {}
}
