//! Lookup of a program in the `PATH`, outside the directories of projects.

use std::path::{Path, PathBuf};

use toolpost_sandbox::{Environment, host};

use crate::prepare::can_be_executed;

/// Result of the search for a program in the `PATH`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramSearch {
    /// The first candidate outside the excluded directories.
    pub program: Option<PathBuf>,
    /// Earlier candidates in the excluded directories, which were skipped.
    pub passed_over: Vec<PathBuf>,
}

/// Finds a program in the absolute entries of the `PATH`. Skips programs that are in the directories `not_in`,
/// by their path or after resolving links. Finds nothing for a name with a slash.
pub fn programs(name: &str, environment: &Environment, not_in: &[PathBuf]) -> ProgramSearch {
    let mut search = ProgramSearch::default();
    if name.is_empty() || name.contains('/') {
        return search;
    }
    let path = environment.get("PATH").unwrap_or_default();
    for place in std::env::split_paths(path).filter(|place| place.is_absolute()) {
        let program = place.join(name);
        if !can_be_executed(&program) {
            continue;
        }
        if host::lies_in(&place, not_in) || host::lies_in(&program, not_in) {
            search.passed_over.push(program);
        } else {
            search.program = Some(program);
            break;
        }
    }
    search
}

/// Returns the directories, in addition to the system's, in which a program finds its own files, such as
/// `node_modules`.
pub(crate) fn belongings(program: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let names = [Some(program.to_owned()), host::real(program).ok()];
    for name in names.into_iter().flatten() {
        let modules = name.ancestors().filter(|above| above.ends_with("node_modules")).last();
        let folder = name.parent().filter(|folder| *folder != Path::new("/"));
        // A directory `bin` belongs to an installation if its parent directory contains one of these names.
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
    fn programs_inside_projects_are_skipped() {
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
    fn installation_directory_of_a_program_is_found() {
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
