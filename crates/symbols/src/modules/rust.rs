//! Modules of Rust: crates, the files of their modules, and modules within files.

use toolpost_syntax::Kind;

use super::joined;
use crate::ids::FileId;
use crate::manifest::Manifest;
use crate::path::split;
use crate::resolve::{Location, Resolver, Value};
use crate::target::ResolutionMethod;
use crate::{At, Word};

impl Resolver<'_> {
    /// Resolves a module by its path: from the crate, from the current or the parent module, or from a name in scope or
    /// another crate.
    pub(super) fn rust_module(&self, spot: Location, path: &str) -> Vec<Value> {
        let mut parts = path.trim_start_matches("::").split("::").filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let mut found = match first {
            "crate" | "$crate" => self.crate_root(spot.file).map(Value::File).into_iter().collect(),
            "self" => vec![self.current(spot)],
            "super" => self.parent(&self.current(spot)).into_iter().collect(),
            name => self.known(spot, name),
        };
        for part in parts {
            found = match (part, self.graph.word(part)) {
                ("super", _) => found.iter().filter_map(|module| self.parent(module)).collect(),
                (_, None) => Vec::new(),
                (_, Some(word)) => {
                    found.iter().flat_map(|module| self.exported(module, word, spot)).collect()
                }
            };
        }
        found
    }

    /// Finds the Rust macros of this name in all files, because macros can be used without an import.
    pub(super) fn rust_added(&self, spot: Location, name: Word) -> Vec<(Value, ResolutionMethod)> {
        let _ = spot;
        let all = self.graph.definitions(name).iter().copied();
        let macros: Vec<At> = all
            .filter(|at| self.graph.symbol(*at).kind.kind() == Kind::Macro)
            .filter(|at| self.graph.file(at.file).record.language == "rust")
            .collect();
        let how = if macros.len() == 1 { ResolutionMethod::Linked } else { ResolutionMethod::SameName };
        macros.into_iter().map(|at| (Value::Thing(at), how)).collect()
    }

    /// Returns the module at a location.
    fn current(&self, spot: Location) -> Value {
        let file = self.graph.file(spot.file);
        let around = file.outwards(file.around(spot.place));
        let is_module = |number: &u32| {
            let symbol = &file.record.symbols[*number as usize];
            symbol.kind.kind() == Kind::Module && symbol.body.is_some()
        };
        let mut modules = around.filter(is_module);
        modules.next().map_or(Value::File(spot.file), |symbol| Value::Thing(At { file: spot.file, symbol }))
    }

    /// Returns the parent of a module.
    fn parent(&self, module: &Value) -> Option<Value> {
        match module {
            Value::Thing(at) => {
                let above = self.graph.symbol(*at).parent;
                Some(above.map_or(Value::File(at.file), |symbol| Value::Thing(At { file: at.file, symbol })))
            }
            Value::File(file) => {
                let path = &self.graph.file(*file).path;
                let root = self.crate_root(*file);
                if root == Some(*file) {
                    return None;
                }
                let (folder, name) = split(path);
                let folder = if name == "mod.rs" { split(folder).0 } else { folder };
                let beside = root.filter(|root| split(&self.graph.file(*root).path).0 == folder);
                beside.or_else(|| self.file_of(folder)).map(Value::File)
            }
            _ => None,
        }
    }

    /// Returns the file of the module whose submodules are in a directory.
    fn file_of(&self, folder: &str) -> Option<FileId> {
        let beside = format!("{folder}.rs");
        let within = ["mod.rs", "lib.rs", "main.rs"].iter().filter_map(|name| joined(folder, name));
        within.chain([beside]).find_map(|path| self.graph.by_path(&path))
    }

    /// Returns the meanings of a plain name at the start of a path.
    fn known(&self, spot: Location, name: &str) -> Vec<Value> {
        let current = self.current(spot);
        if let Some(file) = self.child(&current, name) {
            return vec![Value::File(file)];
        }
        let word = self.graph.word(name);
        let here = word.map(|word| self.lookup_only_types(spot, word)).unwrap_or_default();
        let here: Vec<Value> =
            here.into_iter().map(|(value, _)| value).filter(|value| *value != Value::Outside).collect();
        if !here.is_empty() {
            return here;
        }
        let crates = self.graph.manifests().filter_map(|(path, manifest)| match manifest {
            Manifest::Cargo { name: own, library } if own == name => Some((split(path).0, library)),
            _ => None,
        });
        let roots = crates.filter_map(|(folder, library)| {
            let path = joined(folder, library.as_deref().unwrap_or("src/lib.rs"))?;
            self.graph.by_path(&path)
        });
        roots.take(1).map(Value::File).collect()
    }

    /// Finds the file of the submodule `name`, if `module` declares it with `mod name;`.
    fn child(&self, module: &Value, name: &str) -> Option<FileId> {
        let (file, inner) = match module {
            Value::File(file) => (*file, String::new()),
            Value::Thing(at) => {
                (at.file, self.graph.text(self.graph.symbol(*at).qualified).replace('.', "/"))
            }
            _ => return None,
        };
        let word = self.graph.word(name)?;
        let imports = &self.graph.file(file).record.imports;
        let declares = |import: &crate::record::ImportRecord| {
            import.what == crate::record::ImportTarget::Module && import.module == word
        };
        if !imports.iter().any(declares) {
            return None;
        }
        let path = &self.graph.file(file).path;
        let (folder, own) = split(path);
        let top = matches!(own, "mod.rs" | "lib.rs" | "main.rs") || self.crate_root(file) == Some(file);
        let stem = own.strip_suffix(".rs").unwrap_or(own);
        let folder = if top { folder.to_owned() } else { joined(folder, stem)? };
        let folder = joined(&folder, &inner)?;
        [format!("{name}.rs"), format!("{name}/mod.rs")]
            .iter()
            .find_map(|path| self.graph.by_path(&joined(&folder, path)?))
    }

    /// Returns the root file of a file's crate.
    fn crate_root(&self, file: FileId) -> Option<FileId> {
        let path = &self.graph.file(file).path;
        let mut folder = split(path).0;
        loop {
            let manifest = joined(folder, "Cargo.toml")?;
            if let Some(Manifest::Cargo { library, .. }) = self.graph.manifest(&manifest) {
                return self.root_in(file, folder, library.as_deref());
            }
            if folder.is_empty() {
                break;
            }
            folder = split(folder).0;
        }
        // Without a manifest, the nearest directory with the root file of a crate is used.
        let mut folder = split(path).0;
        loop {
            let found =
                ["lib.rs", "main.rs"].iter().find_map(|name| self.graph.by_path(&joined(folder, name)?));
            if found.is_some() || folder.is_empty() {
                return found.or(Some(file));
            }
            folder = split(folder).0;
        }
    }

    /// Returns the root file of a file's crate, in the package of a directory.
    fn root_in(&self, file: FileId, folder: &str, library: Option<&str>) -> Option<FileId> {
        let path = &self.graph.file(file).path;
        let rest = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
        let mut parts = rest.split('/');
        match (parts.next()?, parts.next()) {
            ("tests" | "benches" | "examples", _) => return self.root_of_target(file, folder, (rest, 1)),
            ("build.rs", None) => return Some(file),
            ("src", Some("bin")) => return self.root_of_target(file, folder, (rest, 2)),
            _ => {}
        }
        let at = |path: &str| joined(folder, path).and_then(|path| self.graph.by_path(&path));
        let (library, main) = (at(library.unwrap_or("src/lib.rs")), at("src/main.rs"));
        match (library, main) {
            (Some(library), Some(main)) if library != main => {
                if file == main {
                    return Some(main);
                }
                // A module that only `main.rs` declares belongs to the binary.
                let first = rest.strip_prefix("src/").unwrap_or(rest).split('/').next().unwrap_or(rest);
                let first = first.strip_suffix(".rs").unwrap_or(first);
                let only_main = self.declares(main, first) && !self.declares(library, first);
                Some(if only_main { main } else { library })
            }
            (library, main) => library.or(main).or(Some(file)),
        }
    }

    /// Returns the root file of a target such as an integration test: `main.rs` in the directory of the target, or the
    /// file itself. `rest` is the path of the file in the package, and the first `depth` parts of it are the directory
    /// of all such targets.
    fn root_of_target(&self, file: FileId, folder: &str, (rest, depth): (&str, usize)) -> Option<FileId> {
        let parts: Vec<&str> = rest.split('/').collect();
        let Some(name) = parts.get(depth) else { return Some(file) };
        let targets = joined(folder, &parts[..depth].join("/"))?;
        if parts.len() > depth + 1 {
            let main = joined(&targets, &format!("{name}/main.rs"))?;
            if let Some(main) = self.graph.by_path(&main) {
                return Some(main);
            }
        }
        // A file or a directory next to a target is a module if only that target declares it.
        let targets = self.graph.folder(&targets);
        let declarers = |name: &str, of: FileId| -> Vec<FileId> {
            let name = name.strip_suffix(".rs").unwrap_or(name);
            let declares = |other: &FileId| *other != of && self.declares(*other, name);
            targets.iter().copied().filter(declares).collect()
        };
        match declarers(name, file).as_slice() {
            [root] if declarers(split(&self.graph.file(*root).path).1, *root).is_empty() => Some(*root),
            _ => Some(file),
        }
    }

    /// Checks whether a file contains `mod name;`.
    fn declares(&self, file: FileId, name: &str) -> bool {
        let imports = &self.graph.file(file).record.imports;
        imports.iter().any(|import| {
            import.what == crate::record::ImportTarget::Module && self.graph.text(import.module) == name
        })
    }
}
