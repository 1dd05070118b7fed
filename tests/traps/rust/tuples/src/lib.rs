use std::path::Path;

pub struct Glob<'a>(&'a str);

pub enum Match<T> {
    None,
    Ignore(T),
}

impl<T> Match<T> {
    pub fn is_ignore(&self) -> bool {
        true
    }
    pub fn invert(self) -> Match<T> {
        self
    }
}

pub struct Builder;

impl Builder {
    pub fn new() -> Builder {
        Builder
    }
    pub fn build(&self) -> Rules {
        todo!() //-> external
    }
}

#[derive(Clone)]
pub struct Rules;

impl Rules {
    pub fn add_child<P: AsRef<Path>>(&self, dir: P) -> (Rules, Option<Error>) {
        todo!() //-> external
    }
    pub fn matched<'a, P: AsRef<Path>>(&'a self, path: P, is_dir: bool) -> Match<Glob<'a>> {
        todo!() //-> external
    }
}

pub enum Error {
    Depth { err: Box<Error>, depth: usize },
    Partial(Vec<Error>),
}

impl Error {
    pub fn is_io(&self) -> bool {
        match self {
            Error::Depth { ref err, .. } => err.is_io(), //-> src/lib.rs:Error.is_io
            Error::Partial(errs) => errs.len() == 1 && errs[0].is_io(), //-> external, src/lib.rs:Error.is_io
        }
    }
}

pub fn use_all() {
    let (rules, err) = Builder::new().build().add_child("x"); //-> src/lib.rs:Builder.new, src/lib.rs:Builder.build, src/lib.rs:Rules.add_child
    assert!(err.is_none()); //-> external, external
    assert!(rules.matched("foo", false).is_ignore()); //-> external, src/lib.rs:Rules.matched, src/lib.rs:Match.is_ignore
    let mut mat = rules.matched("foo", false); //-> src/lib.rs:Rules.matched
    mat = mat.invert(); //-> src/lib.rs:Match.invert
    mat.is_ignore(); //-> src/lib.rs:Match.is_ignore
}
