pub struct Arg {
    pub count: usize,
}

impl Arg {
    pub fn run(&self) {}
}
