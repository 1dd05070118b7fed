//! Copies of test programs that every user may run.

#![expect(clippy::disallowed_methods, reason = "tests start programs and look at the machine")]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Copies of a test's programs in a directory that every user may enter. Only its owner may enter some checkouts, so
/// another user cannot run the originals.
pub struct PublicCopies {
    /// The directory of the originals, which holds `deps` with the test binaries, and `examples`.
    built: PathBuf,
    directory: PathBuf,
}

impl PublicCopies {
    /// Copies these examples of the crate to a new directory. Other users must be able to enter its parent directories.
    ///
    /// # Panics
    /// If an example is not built, or cannot be copied.
    #[must_use]
    pub fn new(directory: &Path, examples: &[&str]) -> Self {
        let built = own().ancestors().nth(2).expect("the test binary is in a directory").to_owned();
        let copies = Self { built, directory: directory.to_owned() };
        examples.iter().for_each(|name| copies.copy(&copies.built.join("examples").join(name)));
        copies
    }

    /// Returns the path of an example.
    #[must_use]
    pub fn example(&self, name: &str) -> PathBuf {
        self.directory.join("examples").join(name)
    }

    /// Copies the test binary, and returns its path. It finds the copied examples where it expects the originals.
    #[must_use]
    pub fn test_binary(&self) -> PathBuf {
        self.copy(&own());
        self.place(&own())
    }

    /// Returns the path of the copy of a program.
    fn place(&self, program: &Path) -> PathBuf {
        let name = program.strip_prefix(&self.built).expect("the program is in the directory of the build");
        self.directory.join(name)
    }

    /// Copies a program in another process, which also creates the directories for all users. If this process wrote the
    /// file, it would have it open while other threads start programs, and starting the copy could then fail with ETXTBSY.
    fn copy(&self, program: &Path) {
        let mut install = Command::new("install");
        install.args(["-D", "-m", "755"]).arg(program).arg(self.place(program));
        let done = install.output().expect("the program `install` is part of every system");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

fn own() -> PathBuf {
    std::env::current_exe().expect("the path of this program is known")
}
