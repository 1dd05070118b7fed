pub struct File;
pub struct Door;

impl File {
    pub fn close(&self) {}
}

impl Door {
    pub fn close(&self) {}
}

pub trait Closes {
    fn close_all(&self);
}

impl Closes for Vec<File> {
    fn close_all(&self) {
        for one in self {
            one.close(); //-> src/lib.rs:File.close
        }
    }
}

pub fn run(door: Door, files: &[File], pair: (File, Door)) {
    door.close(); //-> src/lib.rs:Door.close
    for file in files {
        file.close(); //-> src/lib.rs:File.close
    }
    pair.1.close(); //-> src/lib.rs:Door.close
    files[0].close(); //-> src/lib.rs:File.close
    File::close(&pair.0); //-> src/lib.rs:File.close
}
