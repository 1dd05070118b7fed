//! Packages of Go: directories, by the module's name in `go.mod`.

use crate::ids::FileId;
use crate::manifest::Manifest;
use crate::path::split;
use crate::resolve::{Location, Resolver, Value};
use crate::target::ResolutionMethod;
use crate::{At, Word};

impl Resolver<'_> {
    /// Finds the directory of a package by its path.
    pub(super) fn go_module(&self, name: &str) -> Vec<Value> {
        let modules = self.graph.manifests().filter_map(|(path, manifest)| match manifest {
            Manifest::Go { module } => Some((split(path).0, module.as_str())),
            _ => None,
        });
        let fits = modules.filter_map(|(folder, module)| {
            let rest = name.strip_prefix(module)?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('/')? };
            Some((module.len(), super::joined(folder, rest)?))
        });
        let found = fits.max_by_key(|(length, _)| *length).map(|(_, path)| path);
        let found = found.filter(|path| self.graph.has_folder(path));
        found.map(|path| Value::Folder(path.into())).into_iter().collect()
    }

    /// Returns the name of a package, from the package clauses of its files.
    pub(crate) fn go_name(&self, package: &Value) -> Option<Word> {
        let Value::Folder(path) = package else { return None };
        let files = self.graph.folder(path).iter().map(|file| self.graph.file(*file));
        let code = files.filter(|file| file.record.language == "go" && !file.path.ends_with("_test.go"));
        code.filter_map(|file| file.record.package).next()
    }

    /// Finds the top-level definitions of a name in the files of the same package; in test files only for a test file.
    pub(super) fn go_package(&self, spot: Location, name: Word) -> Vec<(Value, ResolutionMethod)> {
        let own = self.graph.file(spot.file);
        let is_test = |file: FileId| self.graph.file(file).path.ends_with("_test.go");
        let test = is_test(spot.file);
        let files = self.graph.folder(split(&own.path).0).iter().copied();
        let files = files.filter(|file| {
            let other = self.graph.file(*file);
            other.record.language == "go"
                && other.record.package == own.record.package
                && (test || !is_test(*file))
        });
        let all = files.flat_map(|file| {
            let symbols = self.graph.file(file).top(name).iter();
            symbols.map(move |symbol| At { file, symbol: *symbol })
        });
        let meant = all.filter(|at| self.is_meant_bare(*at));
        meant.map(|at| (Value::Thing(at), ResolutionMethod::Package)).collect()
    }
}
