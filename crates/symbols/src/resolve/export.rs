//! Lookup of a name in a module: what the module defines, re-exports or contains as a submodule.

use toolpost_syntax::Kind;

use super::{Location, Resolver, Value};
use crate::Word;
use crate::graph::is_class;
use crate::ids::{At, FileId};
use crate::record::ImportTarget;
use crate::rules::Family;

impl Resolver<'_> {
    /// Returns the meanings of a name as a member of a module, a package or a class. `spot` is in the file that uses
    /// the name.
    pub(crate) fn exported(&self, module: &Value, name: Word, spot: Location) -> Vec<Value> {
        self.deeper(Vec::new(), || match module {
            Value::File(file) => self.exports.get((*file, name), || match self.rules(*file).family {
                Family::Ecma => self.of_script(*file, name),
                Family::Python => self.of_python(*file, name),
                Family::Rust => self.of_rust(*file, name),
                _ => self.top(*file, name),
            }),
            Value::Folder(path) => self.of_folder(path, name, spot),
            Value::Thing(at) => self.of_thing(*at, name),
            Value::Either(all) => all.iter().flat_map(|value| self.exported(value, name, spot)).collect(),
            _ => Vec::new(),
        })
    }

    fn top(&self, file: FileId, name: Word) -> Vec<Value> {
        let symbols = self.file(file).top(name).iter();
        let all = symbols.map(|symbol| At { file, symbol: *symbol });
        all.filter(|at| self.is_meant_bare(*at)).map(Value::Thing).collect()
    }

    /// Returns the meanings of a name in a Python file: definitions, imports, assignments, and modules in its
    /// directory.
    fn of_python(&self, file: FileId, name: Word) -> Vec<Value> {
        let spot = Location { file, place: u32::MAX };
        let found = self.of_file(spot, name);
        let found: Vec<Value> = found.into_iter().map(|(value, _)| value).collect();
        if !found.is_empty() {
            return found;
        }
        self.submodule(file, self.graph.text(name))
    }

    /// Returns the meanings of a name in a JavaScript or TypeScript file: its exported imports, else its top-level
    /// symbols even if they are not exported, else wildcard re-exports.
    fn of_script(&self, file: FileId, name: Word) -> Vec<Value> {
        if self.graph.text(name) == "default" {
            return self.default_of(&Value::File(file));
        }
        let own = self.top(file, name);
        let spot = Location { file, place: u32::MAX };
        let imports = &self.file(file).record.imports;
        let exported = imports.iter().filter(|import| import.exported);
        let named: Vec<Value> = exported
            .clone()
            .filter(|import| {
                !matches!(import.what, ImportTarget::All) && self.bound_name(spot, import) == Some(name)
            })
            .flat_map(|import| self.import(spot, import))
            .collect();
        if !named.is_empty() {
            return named;
        }
        if !own.is_empty() {
            return own;
        }
        let all = exported.filter(|import| import.what == ImportTarget::All && import.alias.is_none());
        let mut found = Vec::new();
        for import in all {
            let modules = self.module(spot, self.graph.text(import.module));
            found.extend(modules.iter().flat_map(|module| self.exported(module, name, spot)));
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// Returns the default export of a module.
    pub(super) fn default_of(&self, module: &Value) -> Vec<Value> {
        let Value::File(file) = module else { return Vec::new() };
        let record = &self.file(*file).record;
        let is_default = |symbol: &&crate::record::SymbolRecord| {
            symbol.modifiers.iter().any(|word| self.graph.text(*word) == "default")
        };
        let symbols = (0..).zip(&record.symbols).filter(|(_, symbol)| symbol.parent.is_none());
        let own: Vec<Value> = symbols
            .filter(|(_, symbol)| is_default(symbol))
            .map(|(symbol, _)| Value::Thing(At { file: *file, symbol }))
            .collect();
        if !own.is_empty() {
            return own;
        }
        let spot = Location { file: *file, place: u32::MAX };
        let default = self.graph.word("default");
        let exports = record.imports.iter().filter(|import| {
            import.exported
                && (matches!(import.what, ImportTarget::Default(_))
                    || (import.alias.is_some() && import.alias == default))
        });
        exports.flat_map(|import| self.import(spot, import)).collect()
    }

    /// Returns the meanings of a name in a Rust module: definitions and re-exports.
    fn of_rust(&self, file: FileId, name: Word) -> Vec<Value> {
        let own = self.top(file, name);
        if !own.is_empty() {
            return own;
        }
        let here = Location { file, place: u32::MAX };
        self.of_module(here, None, name)
    }

    /// Returns the values of a name that a module imports. `within` is the symbol of the module, `None` for the
    /// module of a file.
    fn of_module(&self, spot: Location, within: Option<u32>, name: Word) -> Vec<Value> {
        let found = self.imported_in_any_way(spot, within, name);
        found.into_iter().map(|(value, _)| value).collect()
    }

    fn of_folder(&self, path: &str, name: Word, spot: Location) -> Vec<Value> {
        let text = self.graph.text(name);
        match self.rules(spot.file).family {
            Family::Python => self.submodule_of(path, text),
            Family::Java => {
                let files = self.graph.folder(path).iter();
                files.flat_map(|file| self.top(*file, name)).collect()
            }
            _ => {
                let files = self.graph.folder(path).iter();
                let seen = |file: &&FileId| !self.file(**file).path.ends_with("_test.go");
                files.filter(seen).flat_map(|file| self.top(*file, name)).collect()
            }
        }
    }

    /// Returns the meanings of a name in a class, or in a module within a file.
    fn of_thing(&self, at: At, name: Word) -> Vec<Value> {
        let symbol = self.graph.symbol(at);
        let kind = symbol.kind.kind();
        if is_class(kind) {
            return self.members_of(at, name).into_iter().map(Value::Thing).collect();
        }
        if kind != Kind::Module {
            return Vec::new();
        }
        let own = |at: At| {
            let members = self.file(at.file).members(at.symbol, name);
            let members = members.map(move |symbol| At { file: at.file, symbol });
            members.filter(|at| !self.is_elsewhere(*at)).map(Value::Thing)
        };
        let mut found: Vec<Value> = own(at).collect();
        let family = self.rules(at.file).family;
        if found.is_empty() && family == Family::Rust {
            found = self.of_module(Location { file: at.file, place: symbol.at.0 }, Some(at.symbol), name);
        }
        if found.is_empty() && family == Family::C {
            // A namespace can continue in other files.
            let others = self.graph.definitions(symbol.name).iter().copied();
            let same = others
                .filter(|other| *other != at && self.graph.symbol(*other).qualified == symbol.qualified);
            found = same
                .filter(|other| self.graph.symbol(*other).kind.kind() == Kind::Module)
                .flat_map(own)
                .collect();
        }
        found
    }
}
