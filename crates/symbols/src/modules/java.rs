//! Java packages, from the `package` declarations of files.

use crate::graph::is_class;
use crate::path::split;
use crate::resolve::{Location, Resolver, Value};
use crate::target::ResolutionMethod;
use crate::{At, FileId, Word};

impl Resolver<'_> {
    /// Finds a package or a class by its full name.
    pub(super) fn java_module(&self, name: &str) -> Vec<Value> {
        let folders = self.package_folders(name);
        if !folders.is_empty() {
            return folders.into_iter().map(|folder| Value::Folder(folder.into())).collect();
        }
        // The last parts of the name may be a class, and classes in it.
        let Some((outer, last)) = name.rsplit_once('.') else { return Vec::new() };
        let Some(last) = self.graph.word(last) else { return Vec::new() };
        let outer = self.java_module(outer);
        let found = outer.iter().flat_map(|module| match module {
            Value::Folder(folder) => self.class_in(folder, last),
            Value::Thing(class) => self.members_of(*class, last),
            _ => Vec::new(),
        });
        let class = |at: &At| is_class(self.graph.symbol(*at).kind.kind());
        found.filter(class).map(Value::Thing).collect()
    }

    /// Finds the top-level definitions of a name in the files of the same package.
    pub(super) fn java_package(&self, spot: Location, name: Word) -> Vec<(Value, ResolutionMethod)> {
        let own = self.graph.file(spot.file);
        let same = |file: &FileId| self.graph.file(*file).record.package == own.record.package;
        let all = self.graph.definitions(name).iter().copied();
        let all = all.filter(|at| same(&at.file) && self.graph.symbol(*at).parent.is_none());
        let java = all.filter(|at| self.graph.file(at.file).record.language == "java");
        let mut found: Vec<At> = java.collect();
        if own.record.package.is_none() {
            let folder = split(&own.path).0;
            found.retain(|at| split(&self.graph.file(at.file).path).0 == folder);
        }
        found.into_iter().map(|at| (Value::Thing(at), ResolutionMethod::Package)).collect()
    }

    fn class_in(&self, folder: &str, name: Word) -> Vec<At> {
        let files = self.graph.folder(folder).iter();
        files
            .flat_map(|file| {
                self.graph.file(*file).top(name).iter().map(|symbol| At { file: *file, symbol: *symbol })
            })
            .collect()
    }

    /// Lists the directories that match the name of a package and have a file that declares it.
    fn package_folders(&self, name: &str) -> Vec<String> {
        let end = name.replace('.', "/");
        let Some(word) = self.graph.word(name) else { return Vec::new() };
        let says = |folder: &str| {
            let files = self.graph.folder(folder).iter();
            files.clone().any(|file| self.graph.file(*file).record.package == Some(word))
        };
        let mut found: Vec<String> =
            self.graph.folders_ending(&end).filter(|folder| says(folder)).map(str::to_owned).collect();
        found.sort();
        found
    }
}
