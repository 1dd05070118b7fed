pub trait Shape {
    fn area(&self) -> i32;

    fn twice(&self) -> i32 {
        self.area() * 2 //-> src/lib.rs:Shape.area possible src/lib.rs:Square.area src/lib.rs:Disc.area
    }
}

pub struct Square;
pub struct Disc;

impl Shape for Square {
    fn area(&self) -> i32 {
        4
    }
}

impl Shape for Disc {
    fn area(&self) -> i32 {
        Square.area() //-> src/lib.rs:Square.area | src/lib.rs:Shape.area
    }
}

pub fn generic<T: Shape>(shape: T) -> i32 {
    shape.area() //-> src/lib.rs:Shape.area possible src/lib.rs:Square.area src/lib.rs:Disc.area
}

pub fn dynamic(shape: &dyn Shape, boxed: Box<dyn Shape>) -> i32 {
    boxed.twice(); //-> src/lib.rs:Shape.twice
    shape.area() //-> src/lib.rs:Shape.area possible src/lib.rs:Square.area src/lib.rs:Disc.area
}

pub fn implied(shape: impl Shape) -> i32 {
    shape.twice() //-> src/lib.rs:Shape.twice
}

pub fn concrete(square: &Square) -> i32 {
    square.area(); //-> src/lib.rs:Square.area | src/lib.rs:Shape.area
    square.twice() //-> src/lib.rs:Shape.twice
}
