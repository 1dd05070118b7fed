fn job(x: i32) -> i32 {
    x
}

pub fn run(xs: Vec<i32>, given: impl Fn(i32) -> i32) -> i32 {
    xs.iter().for_each(|x| { job(*x); }); //-> external, external, src/lib.rs:job
    let local = |x: i32| job(x); //-> src/lib.rs:job
    std::thread::spawn(move || job(1)); //-> external, src/lib.rs:job
    local(1); //-> ?
    given(2); //-> ?
    xs.into_iter().map(job).sum() //-> external, external, external
}
