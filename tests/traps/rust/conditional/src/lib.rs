#[cfg(windows)]
fn sep() -> char {
    '\\'
}

#[cfg(not(windows))]
fn sep() -> char {
    '/'
}

pub fn run() -> char {
    sep() //-> src/lib.rs:sep
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helper() -> char {
        sep() //-> src/lib.rs:sep
    }

    #[test]
    fn it() {
        helper(); //-> src/lib.rs:tests.helper
        run(); //-> src/lib.rs:run
    }
}

fn helper() {}
