pub struct Item;
pub struct Own;

impl Item {
    pub fn go(&self) {}
}

impl Own {
    pub fn go(&self) {}
    pub fn each(&self, run: impl Fn(&Item, u8)) {}
    pub fn boxed(&self, run: Box<dyn FnMut(&Item)>) {}
}

pub fn given(count: u8, run: &dyn Fn(&Own)) {}

pub fn use_all(items: Vec<Item>, own: Option<Own>) {
    given(1, &|own| own.go()); //-> src/lib.rs:given, src/lib.rs:Own.go possible src/lib.rs:Item.go
    Own.each(|item, _| item.go()); //-> src/lib.rs:Own.each, src/lib.rs:Item.go
    items.iter().filter(|item| true).for_each(|item| item.go()); //-> external, external, external, src/lib.rs:Item.go
    items.iter().fold(0, |_, item| { //-> external, external
        item.go(); //-> src/lib.rs:Item.go
        0
    });
    own.map(|own| own.go()); //-> external, src/lib.rs:Own.go
}
