mod cart;
pub mod money;
mod tools;

use cart::Cart;
use money::{round as round_off, Money};
pub use tools::helper;

pub fn run() {
    let mut cart = Cart::new(); //-> src/cart.rs:Cart.new
    cart.add(1); //-> src/cart.rs:Cart.add
    round_off(2); //-> src/money/mod.rs:round
    money::round(2); //-> src/money/mod.rs:round
    Money::of(3).double(); //-> src/money/mod.rs:Money.of, src/money/mod.rs:Money.double
    helper(); //-> src/tools.rs:helper
    crate::tools::helper(); //-> src/tools.rs:helper
    self::tools::inner::deep(); //-> src/tools.rs:inner.deep
    money::tax::rate(); //-> src/money/tax.rs:rate
}
