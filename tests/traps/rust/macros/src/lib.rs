macro_rules! twice {
    ($x:expr) => {
        $x * 2
    };
}

pub fn vec(x: i32) -> i32 {
    x
}

pub fn run(x: i32) -> i32 {
    let all = vec![1, 2]; //-> external
    println!("{}", x); //-> external
    vec(1); //-> src/lib.rs:vec
    twice!(x) //-> src/lib.rs:twice
}
