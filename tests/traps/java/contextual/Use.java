import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

class Item {
  void go() {}
}

class Own {
  void go() {}

  void each(int count, Consumer<Item> run) {}

  void both(BiConsumer<Own, Item> run) {}
}

class Use {
  void use(Own own, List<Item> items) {
    own.each(1, item -> item.go()); //-> Use.java:Own.each, Use.java:Item.go
    own.both((one, item) -> { //-> Use.java:Own.both
      one.go(); //-> Use.java:Own.go
      item.go(); //-> Use.java:Item.go
    });
    items.forEach(item -> item.go()); //-> external, Use.java:Item.go
  }
}
