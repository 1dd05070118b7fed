pub struct Item;

impl Item {
    pub fn run(&self) {}
}

pub struct Holder<T> {
    x: T,
}

impl<T> Holder<T> {
    pub fn get(&self) -> &T {
        self.check(); //-> src/lib.rs:Holder.check
        &self.x
    }

    fn check(&self) {}
}

pub fn first<T>(xs: &[T]) -> &T {
    &xs[0]
}

pub fn run(holder: &Holder<Item>, xs: &[Item], shared: std::sync::Arc<Item>) {
    holder.get().run(); //-> src/lib.rs:Holder.get, src/lib.rs:Item.run
    first(xs).run(); //-> src/lib.rs:first, src/lib.rs:Item.run
    shared.run(); //-> src/lib.rs:Item.run
    Holder::<Item>::get(holder).run(); //-> src/lib.rs:Holder.get, src/lib.rs:Item.run
}
