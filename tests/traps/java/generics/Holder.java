import java.util.List;

class Item {
    void run() {}
}

class Holder<T> {
    T get() {
        return null;
    }

    void own() {
        get(); //-> Holder.java:Holder.get
    }

    static <U extends Item> U first(List<U> xs) {
        return xs.get(0); //-> external
    }

    static void use(Holder<Item> holder, List<Item> xs, Item[] all) {
        holder.get().run(); //-> Holder.java:Holder.get, Holder.java:Item.run
        for (Item one : xs) {
            one.run(); //-> Holder.java:Item.run
        }
        all[0].run(); //-> Holder.java:Item.run
        first(xs).run(); //-> Holder.java:Holder.first, Holder.java:Item.run
        xs.get(0).run(); //-> external, Holder.java:Item.run
    }
}
