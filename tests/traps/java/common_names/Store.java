import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.Document;

class Store {
    void add(String x) {}

    String get(String key) {
        return key;
    }

    void save(String x) {}

    static void use(Store own, Document document) {
        List<String> rows = new ArrayList<>(); //-> external
        rows.add("x"); //-> external
        Map<String, String> found = new HashMap<>(); //-> external
        found.get("x"); //-> external
        document.save("x"); //-> external
        own.get("x"); //-> Store.java:Store.get
        var other = new Store(); //-> Store.java:Store
        other.add("x"); //-> Store.java:Store.add
        "x".length(); //-> external
        System.out.println("x"); //-> external
    }

    int length() {
        return 1;
    }

    void println(String x) {}
}
