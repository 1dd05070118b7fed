//! The directories in which package managers store packages.

use std::path::PathBuf;

/// The directories in which package managers store packages. One that is `None` is not searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageStores {
    /// Cargo's home, with `registry` and `git`.
    pub cargo: Option<PathBuf>,
    /// Go's module cache.
    pub go: Option<PathBuf>,
    /// The active Python environment (`VIRTUAL_ENV`).
    pub python: Option<PathBuf>,
    /// Maven's local repository.
    pub maven: Option<PathBuf>,
    /// Gradle's file cache.
    pub gradle: Option<PathBuf>,
    /// Toolpost's cache directory for unpacked source archives.
    pub unpacked: Option<PathBuf>,
}

impl PackageStores {
    /// Returns the default directories: from environment variables, or else below the home directory.
    pub fn default_locations(home: Option<PathBuf>, variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let said = |name: &str| variable(name).filter(|path| path.is_absolute());
        let at_home = |below: &str| home.as_ref().map(|home| home.join(below));
        // Go keeps modules in the first directory of GOPATH.
        let first = || variable("GOPATH").and_then(|paths| std::env::split_paths(&paths).next());
        let go_path = || first().filter(|path| path.is_absolute()).map(|path| path.join("pkg/mod"));
        Self {
            cargo: said("CARGO_HOME").or_else(|| at_home(".cargo")),
            go: said("GOMODCACHE").or_else(go_path).or_else(|| at_home("go/pkg/mod")),
            python: said("VIRTUAL_ENV"),
            maven: at_home(".m2/repository"),
            gradle: said("GRADLE_USER_HOME")
                .or_else(|| at_home(".gradle"))
                .map(|gradle| gradle.join("caches/modules-2/files-2.1")),
            unpacked: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PackageStores;
    use std::path::PathBuf;

    #[test]
    fn environment_variables_override_default_stores() {
        let none = PackageStores::default_locations(Some("/home/ada".into()), |_| None);
        assert_eq!(none.cargo, Some("/home/ada/.cargo".into()));
        assert_eq!(none.go, Some("/home/ada/go/pkg/mod".into()));
        assert_eq!((none.python, none.maven), (None, Some("/home/ada/.m2/repository".into())));
        assert_eq!(none.gradle, Some("/home/ada/.gradle/caches/modules-2/files-2.1".into()));
        let set = |name: &str| match name {
            "CARGO_HOME" => Some(PathBuf::from("/c")),
            "GOPATH" => Some(PathBuf::from("/g:/h")),
            "VIRTUAL_ENV" => Some(PathBuf::from("relative")),
            _ => None,
        };
        let (cargo, go) = (Some("/c".into()), Some("/g/pkg/mod".into()));
        let stores = PackageStores { cargo, go, ..PackageStores::default() };
        assert_eq!(PackageStores::default_locations(None, set), stores);
    }
}
