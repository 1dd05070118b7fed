class Item {
  go() {}
}

class Own {
  go() {}
}

function each(run) {
  run(new Item()); //-> ?, a.js:Item
}

each((item) => item.go()); //-> a.js:each, ? possible a.js:Item.go a.js:Own.go
