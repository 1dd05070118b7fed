use std::fmt::{self, Display};

pub struct Name(String);

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0) //-> external
    }
}

impl Iterator for Name {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        self.0.pop() //-> external
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name(text) //-> src/lib.rs:Name
    }
}

pub fn run(mut name: Name, text: String) {
    name.next(); //-> src/lib.rs:Name.next | external
    name.to_string(); //-> external
    text.chars().next(); //-> external, external
    let other: Name = text.into(); //-> external
    drop(other); //-> external
    String::from("x"); //-> external
    Name::from(String::new()); //-> src/lib.rs:Name.from | external, external
}
