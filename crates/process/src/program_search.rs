//! Finding a program in the `PATH` that no project could have put there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::prepare::can_be_executed;
use crate::sandbox::host;

/// Result of the lookup of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramSearch {
    /// The first that may be started.
    pub program: Option<PathBuf>,
    /// Those that stand before it in a directory that must not be started from.
    pub passed_over: Vec<PathBuf>,
}

/// Finds a program in the `PATH`, except in these directories or through links into them.
pub fn programs(name: &str, environment: &Environment, not_in: &[PathBuf]) -> ProgramSearch {
    let mut sought = ProgramSearch::default();
    if name.is_empty() || name.contains('/') {
        return sought;
    }
    let path = environment.get("PATH").unwrap_or_default();
    for place in std::env::split_paths(path).filter(|place| place.is_absolute()) {
        let program = place.join(name);
        if !can_be_executed(&program) {
            continue;
        }
        if lies_in(&place, not_in) || lies_in(&program, not_in) {
            sought.passed_over.push(program);
        } else {
            sought.program = Some(program);
            break;
        }
    }
    sought
}

impl Environment {
    /// Removes the entries of the `PATH` that are not absolute, or that lie in one of these directories.
    #[must_use]
    pub fn without_places(self, not_in: &[PathBuf]) -> Self {
        let path = self.get("PATH").unwrap_or_default().to_owned();
        let kept =
            std::env::split_paths(&path).filter(|place| place.is_absolute() && !lies_in(place, not_in));
        // A part between colons contains no colon.
        let path = std::env::join_paths(kept).unwrap_or_else(|_| OsString::new());
        self.with("PATH", path)
    }
}

/// Returns the directories that have to be seen, besides the system's, for a program to find what belongs to it.
pub(crate) fn belongings(program: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let names = [Some(program.to_owned()), host::real(program).ok()];
    for name in names.into_iter().flatten() {
        let modules = name.ancestors().filter(|above| above.ends_with("node_modules")).last();
        let folder = name.parent().filter(|folder| *folder != Path::new("/"));
        // A directory `bin` belongs to an installation if the installation declares it.
        let installed = folder.filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
        let installed = installed.filter(|above| {
            ["pyvenv.cfg", "lib/node_modules", "plugins", "LICENSE", "libexec"]
                .iter()
                .any(|sign| host::kind(&above.join(sign)).is_some())
        });
        for place in [modules, installed, folder].into_iter().flatten() {
            if !found.iter().any(|known: &PathBuf| place.starts_with(known)) {
                found.push(place.to_owned());
            }
        }
    }
    found
}

fn lies_in(path: &Path, places: &[PathBuf]) -> bool {
    let real = host::real(path);
    let is_in = |path: &Path| places.iter().any(|place| path.starts_with(place));
    is_in(path) || real.is_ok_and(|real| is_in(&real))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests look at the disk")]

    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(path: PathBuf) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn what_a_project_brings_is_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        let inside = program(at("ws/node_modules/.bin/tool"));
        let outside = program(at("usr/bin/tool"));
        fs::create_dir(at("links")).unwrap();
        symlink(&inside, at("links/tool")).unwrap();
        symlink(at("ws/node_modules/.bin"), at("linked")).unwrap();
        fs::write(at("ws/plain"), "").unwrap();
        let roots = [at("ws")];
        let check = |name: &str, path: &[&str], program: Option<&PathBuf>, passed_over: &[PathBuf]| {
            let path = std::env::join_paths(path.iter().map(|place| at(place))).unwrap();
            let environment = Environment::from([("PATH".into(), path)]);
            let wanted = ProgramSearch { program: program.cloned(), passed_over: passed_over.to_vec() };
            assert_eq!(programs(name, &environment, &roots), wanted, "{name}");
        };
        let inside = [inside];
        check("tool", &["usr/bin"], Some(&outside), &[]);
        check("tool", &["ws/node_modules/.bin", "usr/bin"], Some(&outside), &inside);
        check("tool", &["links", "usr/bin"], Some(&outside), &[at("links/tool")]);
        check("tool", &["linked"], None, &[at("linked/tool")]);
        check("plain", &["usr/bin"], None, &[]);
        check("bin/tool", &["usr"], None, &[]);
        let path = format!("bin::{0}/ws/x:{0}/linked:{0}/usr/bin", base.path().display());
        let environment = Environment::from([("PATH".into(), path.into())]).without_places(&roots);
        assert_eq!(environment.get("PATH"), Some(at("usr/bin").as_os_str()));
    }

    #[test]
    fn what_belongs_to_a_program_is_known() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        let script = program(at("npm/node_modules/typescript/bin/tsc"));
        fs::create_dir(at("npm/node_modules/.bin")).unwrap();
        symlink(&script, at("npm/node_modules/.bin/tsc")).unwrap();
        program(at("venv/bin/ty"));
        fs::write(at("venv/pyvenv.cfg"), "").unwrap();
        program(at("home/bin/ty"));
        let rows = [
            ("npm/node_modules/.bin/tsc", "npm/node_modules"),
            ("venv/bin/ty", "venv"),
            ("home/bin/ty", "home/bin"),
        ];
        for (program, wanted) in rows {
            assert_eq!(belongings(&at(program)), [at(wanted)], "{program}");
        }
    }
}
