pub enum Kind {
    One(i32),
    Two { x: i32 },
}

pub struct Pair(i32, i32);

pub struct Named {
    x: i32,
}

impl Named {
    pub fn run(&self) -> i32 {
        self.x
    }
}

use Kind::Two;

pub fn make() -> Kind {
    Pair(1, 2); //-> src/lib.rs:Pair
    Named { x: 1 }.run(); //-> src/lib.rs:Named.run
    Two { x: 1 };
    Some(1); //-> external
    Kind::One(1) //-> src/lib.rs:Kind.One
}
