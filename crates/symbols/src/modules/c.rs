//! Names of C and C++: the file's own, included and linked ones, and namespaces.

use std::collections::HashSet;
use std::rc::Rc;

use toolpost_syntax::Kind;

use crate::path::split;
use crate::record::ImportTarget;
use crate::resolve::{Location, Resolver, Value};
use crate::rules::together;
use crate::target::ResolutionMethod;
use crate::{At, FileId, Word};

/// The maximum number of included files to follow.
const INCLUDED: usize = 400;

impl Resolver<'_> {
    /// Finds a namespace by its name.
    pub(super) fn namespace(&self, name: &str) -> Vec<Value> {
        let mut parts = name.split("::");
        let first = parts.next().and_then(|first| self.graph.word(first));
        let Some(first) = first else { return Vec::new() };
        let qualified = name.replace("::", ".");
        let last = self.graph.word(name.rsplit("::").next().unwrap_or(name)).unwrap_or(first);
        let all = self.graph.definitions(last).iter().copied();
        let named = all.filter(|at| {
            let symbol = self.graph.symbol(*at);
            symbol.kind.kind() == Kind::Module && self.graph.text(symbol.qualified) == qualified
        });
        named.take(1).map(Value::Thing).collect()
    }

    /// Returns the meanings of a name that the file does not define: symbols of included files, and functions with a
    /// body and external linkage. Included macros have priority, then symbols with a body, then symbols of files in the
    /// same directory.
    pub(super) fn linked(&self, spot: Location, name: Word) -> Vec<(Value, ResolutionMethod)> {
        let own = self.graph.file(spot.file);
        let language = &own.record.language;
        let all = self.graph.definitions(name).iter().copied().filter(|at| {
            let symbol = self.graph.symbol(*at);
            let bare = symbol.parent.is_none_or(|parent| self.is_open(At { file: at.file, symbol: parent }));
            bare && at.file != spot.file
                && together(&self.graph.file(at.file).record.language, language)
                && (symbol.parent.is_some() || self.is_meant_bare(*at))
        });
        let all: Vec<At> = all.collect();
        if all.is_empty() {
            return Vec::new();
        }
        let included = self.included.get(spot.file, || Rc::new(self.includes(spot.file)));
        let near: Vec<At> = all.iter().copied().filter(|at| included.contains(&at.file)).collect();
        let macros: Vec<At> = near.iter().copied().filter(|at| self.kind(*at) == Kind::Macro).collect();
        if !macros.is_empty() {
            return macros.into_iter().map(|at| (Value::Thing(at), ResolutionMethod::Linked)).collect();
        }
        // If a header only declares a function, the result is the function's definition in another file.
        let seen = !near.is_empty();
        let linked = all.iter().copied().filter(|at| {
            let symbol = self.graph.symbol(*at);
            let of_file = |word: &Word| matches!(self.graph.text(*word), "static" | "inline");
            let hidden = symbol.modifiers.iter().any(of_file) || is_header(&self.graph.file(at.file).path);
            near.contains(at) || (!hidden && symbol.kind.kind() == Kind::Function && symbol.body.is_some())
        });
        let mut found: Vec<At> = linked.collect();
        if found.is_empty() {
            return Vec::new();
        }
        let bodies: Vec<At> =
            found.iter().copied().filter(|at| self.graph.symbol(*at).body.is_some()).collect();
        if !bodies.is_empty() {
            found = bodies;
        }
        if found.len() > 1 {
            let folder = split(&own.path).0;
            let beside: Vec<At> = found
                .iter()
                .copied()
                .filter(|at| split(&self.graph.file(at.file).path).0 == folder)
                .collect();
            if !beside.is_empty() {
                found = beside;
            }
        }
        let how =
            if seen || found.len() == 1 { ResolutionMethod::Linked } else { ResolutionMethod::SameName };
        found.into_iter().map(|at| (Value::Thing(at), how)).collect()
    }

    fn kind(&self, at: At) -> Kind {
        self.graph.symbol(at).kind.kind()
    }

    /// Returns whether the members of a symbol may be visible without its name: those of enumerations and namespaces.
    fn is_open(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        match symbol.kind.kind() {
            // In C, the values of an enumeration are in scope in the whole file.
            Kind::Enum => true,
            Kind::Module => {
                symbol.parent.is_none_or(|parent| self.is_open(At { file: at.file, symbol: parent }))
            }
            _ => false,
        }
    }

    /// Returns the files that a file includes, directly or indirectly.
    fn includes(&self, file: FileId) -> HashSet<FileId> {
        let mut found = HashSet::new();
        let mut waiting = vec![file];
        while let Some(file) = waiting.pop() {
            let record = &self.graph.file(file).record;
            let path = &self.graph.file(file).path;
            for import in record.imports.iter().filter(|import| import.what == ImportTarget::Module) {
                for next in self.header(split(path).0, self.graph.text(import.module)) {
                    if found.len() < INCLUDED && found.insert(next) {
                        waiting.push(next);
                    }
                }
            }
        }
        found
    }

    /// Finds an included header by its path: relative to the including file's directory, otherwise in any directory.
    /// A header of the C standard library is only searched for in the including file's directory.
    fn header(&self, folder: &str, name: &str) -> Vec<FileId> {
        let beside = super::joined(folder, name).and_then(|path| self.graph.by_path(&path));
        if let Some(file) = beside {
            return vec![file];
        }
        if STANDARD_HEADERS.binary_search(&name).is_ok() {
            return Vec::new();
        }
        let last = split(name).1;
        let stem = crate::path::stem(last);
        let fits = |file: &FileId| {
            let path = &self.graph.file(*file).path;
            path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.graph.stems(stem).iter().copied().filter(fits).collect()
    }
}

/// The headers of the C standard library, sorted.
const STANDARD_HEADERS: [&str; 31] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbit.h",
    "stdbool.h",
    "stdckdint.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
];

/// Checks whether the definitions of a file are visible only to files that include it.
fn is_header(path: &str) -> bool {
    const ENDS: [&str; 8] = [".h", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".inc", ".cuh"];
    ENDS.iter().any(|end| path.ends_with(end))
}
