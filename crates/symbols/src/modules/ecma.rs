//! Modules of JavaScript and TypeScript: paths, names from `tsconfig.json`, and packages of the workspace.

use super::joined;
use crate::ids::FileId;
use crate::manifest::Manifest;
use crate::path::split;
use crate::resolve::{Location, Resolver, Value};

/// The extensions of JavaScript and TypeScript files; the first one for which a file exists is used.
const ENDS: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"];

/// Extensions of compiled files, each with the extensions of their sources and declarations.
const MADE: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

impl Resolver<'_> {
    /// Finds a module by its path or by its name.
    pub(super) fn script_module(&self, spot: Location, name: &str) -> Vec<Value> {
        let own = &self.graph.file(spot.file).path;
        let name = name.split('?').next().unwrap_or(name);
        let found = if name.starts_with('.') {
            joined(split(own).0, name).and_then(|path| self.script(&path))
        } else {
            self.mapped(own, name).or_else(|| self.package(name))
        };
        found.map(Value::File).into_iter().collect()
    }

    /// Finds a script by a path. The extension may be missing, or be that of the compiled output; the path may also be
    /// a directory.
    fn script(&self, path: &str) -> Option<FileId> {
        let exact = self.graph.by_path(path);
        let made = || {
            let (end, sources) = MADE.iter().find(|(end, _)| path.ends_with(end))?;
            let stem = path.strip_suffix(end)?;
            sources.iter().find_map(|source| self.graph.by_path(&format!("{stem}{source}")))
        };
        let named = || ENDS.iter().find_map(|end| self.graph.by_path(&format!("{path}{end}")));
        let index =
            || ENDS.iter().find_map(|end| self.graph.by_path(joined(path, &format!("index{end}"))?.as_str()));
        let inner = || match self.graph.manifest(&joined(path, "package.json")?)? {
            Manifest::Npm { entries, .. } => self.entry(path, entries),
            _ => None,
        };
        // A source file has priority over its compiled output.
        exact
            .filter(|_| !path.ends_with("js"))
            .or_else(made)
            .or(exact)
            .or_else(named)
            .or_else(inner)
            .or_else(index)
    }

    /// Resolves a module by the `paths` and the `baseUrl` of the `tsconfig.json` files above the importing file, the
    /// nearest first.
    fn mapped(&self, own: &str, name: &str) -> Option<FileId> {
        let configs = self.graph.manifests().filter_map(|(path, manifest)| match manifest {
            Manifest::Script { base, paths } => Some((split(path).0, base, paths)),
            _ => None,
        });
        let above = |folder: &str| {
            folder.is_empty() || own.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let mut near: Vec<_> = configs.filter(|(folder, ..)| above(folder)).collect();
        near.sort_by_key(|(folder, ..)| std::cmp::Reverse(folder.len()));
        for (folder, base, paths) in near {
            // A `baseUrl` outside the root says nothing about the files in it.
            let Some(base_folder) = joined(folder, base.as_deref().unwrap_or(".")) else { continue };
            for (pattern, targets) in paths {
                let Some(star) = fits(pattern, name) else { continue };
                let found = targets
                    .iter()
                    .find_map(|target| self.script(&joined(&base_folder, &target.replacen('*', star, 1))?));
                if found.is_some() {
                    return found;
                }
            }
            if base.is_some()
                && let Some(found) = joined(&base_folder, name).and_then(|path| self.script(&path))
            {
                return Some(found);
            }
        }
        None
    }

    /// Finds a package of the workspace by its name, or a module in it.
    fn package(&self, name: &str) -> Option<FileId> {
        let mut parts = name.splitn(if name.starts_with('@') { 3 } else { 2 }, '/');
        let scope = parts.next()?;
        let (package, rest) = if scope.starts_with('@') {
            (format!("{scope}/{}", parts.next()?), parts.next())
        } else {
            (scope.to_owned(), parts.next())
        };
        let (folder, entries) = self.graph.manifests().find_map(|(path, manifest)| match manifest {
            Manifest::Npm { name, entries } if *name == package => Some((split(path).0, entries)),
            _ => None,
        })?;
        match rest {
            None => self.entry(folder, entries),
            Some(rest) => [rest.to_owned(), format!("src/{rest}"), format!("lib/{rest}")]
                .iter()
                .find_map(|path| self.script(&joined(folder, path)?)),
        }
    }

    /// Returns the entry point of a package: for each declared one, its source or else the file itself; then the usual
    /// names.
    fn entry(&self, folder: &str, entries: &[String]) -> Option<FileId> {
        let sources = ["src/index", "index", "lib/index", "src/main"].iter().map(|path| (*path).to_owned());
        let of_entries = entries.iter().flat_map(|entry| {
            let entry = entry.trim_start_matches("./");
            let source = entry.split_once('/').map(|(_, rest)| {
                let rest = rest.strip_suffix(".d.ts").unwrap_or(rest);
                format!("src/{}", rest.rsplit_once('.').map_or(rest, |(stem, _)| stem))
            });
            source.into_iter().chain([entry.to_owned()])
        });
        of_entries.chain(sources).find_map(|path| {
            let path = joined(folder, &path)?;
            let file = self.graph.by_path(&path);
            file.or_else(|| ENDS.iter().find_map(|end| self.graph.by_path(&format!("{path}{end}"))))
        })
    }
}

/// Matches a name against a pattern, and returns the part that its star matches; without a star, an empty text.
fn fits<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == name).then_some(""),
    }
}
