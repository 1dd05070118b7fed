//! Selection of repositories by name, and of their files by globs.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::SharedIndexError;

/// Patterns for the names of the repositories to search.
pub(crate) struct Names(GlobSet);

/// Globs for the files to search: a file must match a glob without `!`, if there is one, and none with `!`.
pub(crate) struct Paths {
    wanted: Option<GlobSet>,
    left_out: GlobSet,
}

impl Names {
    pub(crate) fn new(names: &[String]) -> Result<Self, SharedIndexError> {
        let parts =
            names.iter().flat_map(|names| names.split(',')).map(str::trim).filter(|name| !name.is_empty());
        let mut set = GlobSetBuilder::new();
        for name in parts {
            set.add(GlobBuilder::new(name).build().map_err(|_| SharedIndexError::Names(name.to_owned()))?);
        }
        Ok(Self(set.build().map_err(|_| SharedIndexError::Names(names.join(",")))?))
    }

    pub(crate) fn name(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

impl Paths {
    pub(crate) fn new(globs: &[String]) -> Result<Self, SharedIndexError> {
        let (mut wanted, mut left_out) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut any = false;
        for glob in globs {
            let (set, bare) = match glob.strip_prefix('!') {
                Some(bare) => (&mut left_out, bare),
                None => {
                    any = true;
                    (&mut wanted, glob.as_str())
                }
            };
            let whole = match bare.strip_prefix('/') {
                Some(rooted) => rooted.to_owned(),
                None if bare.trim_end_matches('/').contains('/') => bare.to_owned(),
                None => format!("**/{bare}"),
            };
            let whole = if whole.ends_with('/') { format!("{whole}**") } else { whole };
            let built = GlobBuilder::new(&whole).literal_separator(true).build();
            set.add(built.map_err(|_| SharedIndexError::Names(glob.clone()))?);
        }
        let built = |set: GlobSetBuilder| set.build().map_err(|_| SharedIndexError::Names(globs.join(" ")));
        Ok(Self { wanted: any.then(|| built(wanted)).transpose()?, left_out: built(left_out)? })
    }

    pub(crate) fn wants(&self, path: &str) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.is_match(path)) && !self.left_out.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Paths};
    use toolpost_test_rows::each;

    #[test]
    fn repository_names_match_globs() {
        let names = Names::new(&["github.com/a/*, plain".to_owned(), "*/tool".to_owned()]).unwrap();
        let fits = ["github.com/a/b", "github.com/a/b/c", "plain", "git.example/x/tool"];
        let others = ["github.com/b/a", "plainer", "", "tool"];
        assert!(fits.iter().all(|name| names.name(name)) && !others.iter().any(|name| names.name(name)));
        assert!(Names::new(&["a[".to_owned()]).is_err());
    }

    #[test]
    fn file_paths_match_globs() {
        let check = |globs: &[&str], path: &str| {
            Paths::new(&globs.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>()).unwrap().wants(path)
        };
        let rows: [(&[&str], &str, bool); 9] = [
            (&[], "a/b.rs", true),
            (&["*.rs"], "a/b.rs", true),
            (&["*.rs"], "b.rsx", false),
            (&["a/*.rs"], "a/b.rs", true),
            (&["a/*.rs"], "a/c/b.rs", false),
            (&["/b.rs"], "a/b.rs", false),
            (&["!*.rs"], "a/b.rs", false),
            (&["!*.rs"], "a/b.py", true),
            (&["*.{rs,py}", "!test/"], "test/b.py", false),
        ];
        each(rows, |(globs, path, wanted)| {
            assert_eq!(check(globs, path), wanted, "{globs:?} {path}");
        });
    }
}
