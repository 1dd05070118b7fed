//! Python modules: dotted names, absolute or relative to the package.

use std::rc::Rc;

use crate::ids::FileId;
use crate::path::split;
use crate::resolve::{Location, Resolver, Value};

impl<'g> Resolver<'g> {
    /// Finds a module by its dotted name; dots before it lead from the file's own package upwards.
    pub(super) fn python_module(&self, spot: Location, name: &str) -> Vec<Value> {
        let own = &self.graph.file(spot.file).path;
        let rest = name.trim_start_matches('.');
        let dots = name.len() - rest.len();
        if dots == 0 {
            return self.absolute(own, rest);
        }
        let mut folder = split(own).0;
        for _ in 1..dots {
            folder = split(folder).0;
        }
        let mut found = vec![self.at_folder(folder)];
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            found = found.into_iter().flat_map(|module| self.part(&module, part)).collect();
        }
        found
    }

    /// Finds a module from one of the roots that imports may start at.
    fn absolute(&self, own: &str, name: &str) -> Vec<Value> {
        let mut parts = name.split('.');
        let Some(first) = parts.next().filter(|first| !first.is_empty()) else { return Vec::new() };
        let mut found = self.topmost(own, first);
        for part in parts {
            found = found.into_iter().flat_map(|module| self.part(&module, part)).collect();
        }
        found
    }

    /// Finds the package or module that the first part of an absolute name means: the one nearest to the importing
    /// file.
    fn topmost(&self, own: &str, name: &str) -> Vec<Value> {
        // Files of one directory import from the same roots, so the cache has one entry for each directory and name.
        let question = (split(own).0.to_owned(), name.to_owned());
        self.topmost.get(question, || self.find_topmost(own, name))
    }

    /// Returns the packages and modules named `name`, each with the directory that contains it.
    fn all_topmost(&self, name: &str) -> Rc<Vec<(&'g str, Value)>> {
        self.named.get(name.to_owned(), || {
            let files = self.graph.stems(name).iter().copied().filter(|file| self.is_python(*file));
            let modules = files.map(|file| (split(&self.graph.file(file).path).0, Value::File(file)));
            let packages = self.graph.stems("__init__").iter().copied();
            let packages = packages.filter_map(|file| {
                let (outer, own) = split(split(&self.graph.file(file).path).0);
                (own == name && self.is_python(file)).then_some((outer, Value::File(file)))
            });
            Rc::new(modules.chain(packages).collect())
        })
    }

    fn find_topmost(&self, own: &str, name: &str) -> Vec<Value> {
        let all = self.all_topmost(name);
        let mut all: Vec<(&str, Value)> =
            all.iter().filter(|(root, _)| self.is_root(own, root)).cloned().collect();
        if all.is_empty() {
            let roots = ["", "src", "lib"];
            let spaces = roots.iter().filter_map(|root| super::joined(root, name));
            return spaces
                .filter(|path| self.holds_python(path))
                .map(|path| Value::Folder(path.into()))
                .take(1)
                .collect();
        }
        // The nearest root is used; in one root, a package has priority over a module.
        let near = |root: &str| {
            let same = own.split('/').zip(root.split('/')).take_while(|(one, other)| one == other).count();
            (same, root.len())
        };
        let best = all.iter().map(|(root, _)| near(root)).max();
        all.retain(|(root, _)| Some(near(root)) == best);
        let package = |value: &Value| matches!(value, Value::File(file) if self.is_package(*file));
        let chosen = all.iter().position(|(_, value)| package(value)).unwrap_or(0);
        vec![all.swap_remove(chosen).1]
    }

    /// Returns whether imports of a file may start at a directory: it is not a package, and contains the file, is a
    /// conventional root, or is a directory at the top of the workspace, such as `backend`. Projects put these into the
    /// search path by settings that are not read here, so that `tests` can import from them.
    fn is_root(&self, own: &str, root: &str) -> bool {
        let init = super::joined(root, "__init__.py").unwrap_or_default();
        if !root.is_empty() && self.graph.by_path(&init).is_some() {
            // Absolute imports do not start inside a package.
            return false;
        }
        let above = root.is_empty() || own.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
        let usual = matches!(split(root).1, "src" | "lib" | "python" | "source" | "site-packages");
        above || usual || split(root).0.is_empty()
    }

    /// Finds the submodule or subpackage `name` of a package.
    fn part(&self, module: &Value, name: &str) -> Vec<Value> {
        match module {
            Value::Folder(path) => self.submodule_of(path, name),
            Value::File(file) => self.submodule(*file, name),
            _ => Vec::new(),
        }
    }

    /// Finds the submodule `name` of the package whose `__init__` file is `file`; any other file has none.
    pub(crate) fn submodule(&self, file: FileId, name: &str) -> Vec<Value> {
        if !self.is_package(file) {
            return Vec::new();
        }
        self.submodule_of(split(&self.graph.file(file).path).0, name)
    }

    /// Finds a module or a package in a directory.
    pub(crate) fn submodule_of(&self, folder: &str, name: &str) -> Vec<Value> {
        let Some(path) = super::joined(folder, name) else { return Vec::new() };
        let files = ["/__init__.py", "/__init__.pyi", ".py", ".pyi"];
        let mut found = files.iter().filter_map(|end| self.graph.by_path(&format!("{path}{end}")));
        if let Some(file) = found.next() {
            return vec![Value::File(file)];
        }
        if self.holds_python(&path) { vec![Value::Folder(path.into())] } else { Vec::new() }
    }

    /// Returns the package of a directory, or the directory if it has none.
    fn at_folder(&self, folder: &str) -> Value {
        let init = super::joined(folder, "__init__.py").unwrap_or_default();
        self.graph.by_path(&init).map_or_else(|| Value::Folder(folder.into()), Value::File)
    }

    fn is_package(&self, file: FileId) -> bool {
        split(&self.graph.file(file).path).1.starts_with("__init__.")
    }

    fn is_python(&self, file: FileId) -> bool {
        self.graph.file(file).language() == "python"
    }

    /// Returns whether a directory contains Python files, directly or in a subdirectory.
    fn holds_python(&self, folder: &str) -> bool {
        self.graph.holds_python(folder)
    }
}
