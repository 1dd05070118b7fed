//! Import cycles inside a crate: modules that can only be understood together.

use super::{Finding, rust};
use crate::tree::{Source, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of files in an import cycle.
const FILES: usize = 4;

/// Crates that may still have cycles: the number of top-level modules in cycles, and of files in the largest
/// cycle. These numbers may only become lower.
const ALLOWED: &[(&str, usize, usize)] = &[];

/// A module's path from the root of its crate; the root itself is empty.
type Path = Vec<String>;
type Edges = BTreeMap<Path, BTreeSet<Path>>;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(Path, &Source)>> = BTreeMap::new();
    for file in tree.rust() {
        if let Some((name, path)) = module(&file.path) {
            crates.entry(name).or_default().push((path, file));
        }
    }
    crates.iter().flat_map(|(name, files)| in_crate(name, files)).collect()
}

fn in_crate(name: &str, files: &[(Path, &Source)]) -> Vec<Finding> {
    let edges = Crate::of(files).edges();
    let circles = circles(&top_level(&edges));
    let modules = circles.iter().map(Vec::len).sum::<usize>();
    let largest = self::circles(&edges).into_iter().max_by_key(Vec::len).unwrap_or_default();
    let (_, most_modules, most_files) =
        ALLOWED.iter().find(|(allowed, ..)| *allowed == name).unwrap_or(&("", 0, FILES));
    let finding = |what| Finding {
        path: format!("crates/{name}/src/lib.rs"),
        line: 1,
        what,
        why: "modules in a cycle cannot be read, tested or moved one at a time",
        next: "move the shared code into a module below them; import from the module, not from the crate's root",
    };
    let mut findings = Vec::new();
    if modules > *most_modules {
        let names: Vec<String> = circles.iter().map(|circle| named(circle)).collect();
        findings
            .push(finding(format!("top-level modules import one another in a cycle: {}", names.join("; "))));
    }
    if largest.len() > *most_files {
        findings.push(finding(format!(
            "{} files import one another in a cycle: {}",
            largest.len(),
            named(&largest)
        )));
    }
    if modules < *most_modules || largest.len() < *most_files && *most_files > FILES {
        findings.push(finding(format!(
            "{modules} modules and {} files are in cycles, but the crate's row allows more: lower it in xtask/src/tidy/circles.rs",
            largest.len()
        )));
    }
    findings
}

fn named(circle: &[Path]) -> String {
    circle.iter().map(|path| path.join("/")).collect::<Vec<_>>().join(", ")
}

/// Returns the crate and the module of a source file; `None` for a test module and for a file outside the
/// crates.
fn module(path: &str) -> Option<(&str, Path)> {
    let (name, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let mut parts: Path = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "tests") {
        return None;
    }
    if parts.last().is_some_and(|last| last == "mod")
        || matches!(parts.as_slice(), [only] if only == "lib" || only == "main")
    {
        parts.pop();
    }
    Some((name, parts))
}

/// The modules of a crate, with the names that each module re-exports from other modules.
struct Crate {
    code: BTreeMap<Path, String>,
    exports: BTreeMap<Path, BTreeMap<String, Path>>,
}

impl Crate {
    fn of(files: &[(Path, &Source)]) -> Self {
        let code: BTreeMap<Path, String> = files
            .iter()
            .map(|(path, file)| (path.clone(), rust::scan(rust::shipped(&file.text)).code))
            .collect();
        let exports = code.iter().map(|(path, text)| (path.clone(), exports(path, text, &code))).collect();
        Self { code, exports }
    }

    /// Returns the modules that each module imports. A re-exported name counts as an import of the module
    /// that defines it.
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (path, code) in &self.code {
            let imports = uses(code).into_iter().map(|(_, import)| import).chain(paths(code));
            let targets =
                imports.filter_map(|import| self.target(path, &import)).filter(|target| target != path);
            edges.insert(path.clone(), targets.collect());
        }
        edges
    }

    fn target(&self, from: &Path, import: &Path) -> Option<Path> {
        let below = |base: &[String], rest: &[String]| {
            let target = self.resolve(&[base, rest].concat());
            if target.len() < base.len() { base.to_vec() } else { target }
        };
        match import.first()?.as_str() {
            "crate" => Some(self.resolve(&import[1..])),
            "self" => Some(below(from, &import[1..])),
            "super" => {
                let up = import.iter().take_while(|part| *part == "super").count();
                Some(below(&from[..from.len().saturating_sub(up)], &import[up..]))
            }
            first => {
                let child = [from.as_slice(), &[first.to_owned()]].concat();
                self.code.contains_key(&child).then(|| below(from, import))
            }
        }
    }

    fn resolve(&self, path: &[String]) -> Path {
        let mut module = Path::new();
        for part in path {
            let child = [module.as_slice(), std::slice::from_ref(part)].concat();
            if self.code.contains_key(&child) {
                module = child;
            } else {
                let exported = self.exports.get(&module).and_then(|exports| exports.get(part));
                return exported.cloned().unwrap_or(module);
            }
        }
        module
    }
}

fn exports(path: &Path, code: &str, modules: &BTreeMap<Path, String>) -> BTreeMap<String, Path> {
    let mut exports = BTreeMap::new();
    for (_, import) in uses(code).into_iter().filter(|(is_public, _)| *is_public) {
        let Some((name, parents)) = import.split_last() else { continue };
        let full: Path = match parents.first().map(String::as_str) {
            Some("crate") => parents[1..].to_vec(),
            Some("self") => [path.as_slice(), &parents[1..]].concat(),
            _ => [path.as_slice(), parents].concat(),
        };
        if modules.contains_key(&full) {
            exports.insert(name.clone(), full);
        }
    }
    exports
}

/// Returns the paths of every `use` item, each with whether the item is public.
fn uses(code: &str) -> Vec<(bool, Path)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = rust::word(&code[from..], "use").map(|at| from + at) {
        from = at + "use".len();
        let Some(end) = code[from..].find(';') else { break };
        let before = code[..at].trim_end();
        let is_public = before.ends_with("pub") || before.ends_with(')') && before.rfind("pub(").is_some();
        let mut expanded = Vec::new();
        expand("", &code[from..from + end], &mut expanded);
        found.extend(expanded.into_iter().map(|path| (is_public, path)));
    }
    found
}

/// Splits the tree of a `use` item into its paths.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<Path>) {
    let tree = tree.trim();
    if tree.is_empty() {
        return;
    }
    let Some((before, inner)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree).trim();
        paths.push(format!("{prefix}{name}").split("::").map(|part| part.trim().to_owned()).collect());
        return;
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let prefix = format!("{prefix}{}", before.trim());
    let (mut depth, mut start) = (0_usize, 0);
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expand(&prefix, &inner[start..at], paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &inner[start..], paths);
}

/// Returns the paths that begin with `crate` or `super`, wherever they are written.
fn paths(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    for root in ["crate", "super"] {
        let mut from = 0;
        while let Some(at) = rust::word(&code[from..], root).map(|at| from + at) {
            let letters = code[at..].char_indices();
            let end = letters.take_while(|(_, letter)| rust::is_name(*letter) || *letter == ':').count();
            from = at + end.max(root.len());
            let path = code[at..].chars().take(end).collect::<String>();
            let parts: Path = path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            // A brace after `super::` opens the tree of a `use` item, which `uses` reads.
            if parts.len() > 1 {
                found.push(parts);
            }
        }
    }
    found
}

/// Merges the imports of all files in each top-level module, and leaves the crate's root out.
fn top_level(edges: &Edges) -> Edges {
    let mut joined = Edges::new();
    for (from, targets) in edges {
        let Some(from) = from.first() else { continue };
        let others = targets.iter().filter_map(|target| target.first()).filter(|target| *target != from);
        joined.entry(vec![from.clone()]).or_default().extend(others.map(|target| vec![target.clone()]));
    }
    joined
}

/// Returns the import cycles: the strongly connected components with at least two modules. The root module is
/// ignored.
fn circles(edges: &Edges) -> Vec<Vec<Path>> {
    let reach: BTreeMap<&Path, BTreeSet<&Path>> =
        edges.keys().map(|from| (from, reachable(edges, from))).collect();
    let mut left: BTreeSet<&Path> = edges.keys().filter(|path| !path.is_empty()).collect();
    let mut circles = Vec::new();
    while let Some(first) = left.pop_first() {
        let mutual = |other: &&&Path| reach[first].contains(**other) && reach[**other].contains(first);
        let others: Vec<&Path> = left.iter().filter(mutual).copied().collect();
        if !others.is_empty() {
            left.retain(|path| !others.contains(path));
            circles.push(std::iter::once(first).chain(others).cloned().collect());
        }
    }
    circles
}

fn reachable<'a>(edges: &'a Edges, from: &'a Path) -> BTreeSet<&'a Path> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(path) = open.pop() {
        let targets = edges.get(path).into_iter().flatten().filter(|target| !target.is_empty());
        open.extend(targets.filter(|target| edges.contains_key(*target) && seen.insert(*target)));
    }
    seen
}
