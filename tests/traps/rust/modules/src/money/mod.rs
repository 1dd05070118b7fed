pub mod tax;

pub struct Money(i32);

impl Money {
    pub fn of(x: i32) -> Money {
        Money(x) //-> src/money/mod.rs:Money
    }

    pub fn double(&self) -> i32 {
        round(self.0) //-> src/money/mod.rs:round
    }
}

pub fn round(x: i32) -> i32 {
    tax::rate() + x //-> src/money/tax.rs:rate
}
