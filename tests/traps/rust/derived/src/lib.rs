#[derive(Clone, Default)]
pub struct Cart {
    size: usize,
}

impl Cart {
    fn add(&mut self) {}
}

pub struct Own;

impl Own {
    fn default() -> Cart {
        Cart::default() //-> external
    }

    fn clone(&self) -> Cart {
        Cart { size: 1 }
    }
}

fn add() {}

pub fn use_all(given: &Cart, own: Own) {
    let mut cart = Cart::default(); //-> external
    cart.add(); //-> src/lib.rs:Cart.add
    cart.clone().add(); //-> external, src/lib.rs:Cart.add
    let mut copy = given.clone(); //-> external
    copy.add(); //-> src/lib.rs:Cart.add
    Own::default().add(); //-> src/lib.rs:Own.default, src/lib.rs:Cart.add
    own.clone().add(); //-> src/lib.rs:Own.clone, src/lib.rs:Cart.add
    add(); //-> src/lib.rs:add
    let text = String::default(); //-> external
    text.clone().len(); //-> external, external
}
