pub struct Cart;

impl Cart {
    pub fn new() -> Self {
        Cart
    }
    pub fn total(&self) -> u32 {
        1
    }
    pub fn same(&self) -> &Cart {
        self
    }
    pub fn show(&self) {
        println!("{}", self.total()); //-> external, src/lib.rs:Cart.total
    }
}

pub fn price(x: u32) -> u32 {
    x
}

macro_rules! twice {
    ($cart:expr) => {
        $cart.total() + price(2)
    };
}

pub fn use_all(cart: Cart, n: u32) {
    assert_eq!(price(1), cart.same().total()); //-> external, src/lib.rs:price, src/lib.rs:Cart.same, src/lib.rs:Cart.total
    assert_eq!(Cart::new().total(), n * (2)); //-> external, src/lib.rs:Cart.new, src/lib.rs:Cart.total
    twice!(cart); //-> src/lib.rs:twice
}

#[derive(PartialEq, Debug)]
pub struct Mode;

impl Mode {
    pub fn default() -> Mode {
        Mode
    }
    pub fn char(&self) -> u32 {
        1
    }
}

pub fn use_words(mode: Mode) {
    assert_eq!(mode, Mode::default()); //-> external, src/lib.rs:Mode.default
    assert_eq!(mode.char(), 1); //-> external, src/lib.rs:Mode.char
}
