//! `cargo xtask api`: the lists of public items of the crates for other programs, read from the sources.

mod items;
mod source;
mod table;
mod tokens;

use crate::{Repository, Verdict, output, programs, tree::Tree};
use anyhow::{Result, bail};
use items::Lines;
use source::{Leaf, Path, Sources, Target, head, ident, is_hidden, is_public, is_test, leaves};
use std::collections::{BTreeMap, BTreeSet};
use syn::Item;

/// A crate whose public items are watched.
#[derive(Debug, Clone, Copy)]
pub struct Watched {
    /// The name of the crate, as code writes it.
    name: &'static str,
    /// The list of public items, a file in Git.
    pub list: &'static str,
    /// Public modules of the crate whose items are not listed; docs/stability.md lists them.
    unstable: &'static [&'static str],
}

/// The crates whose public items are watched.
pub const WATCHED: [Watched; 3] = [
    Watched {
        name: "toolpost",
        list: "crates/toolpost/api.txt",
        unstable: &["agents", "approvals", "code_search", "operations", "parts", "trust"],
    },
    Watched { name: "toolpost_mcp_server", list: "crates/mcp-server/api.txt", unstable: &[] },
    Watched { name: "toolpost_tool", list: "crates/tool/api.txt", unstable: &["operations"] },
];
const CHANGELOG: &str = "CHANGELOG.md";

/// Writes the lists of public items. With `--check`, compares them with the sources, and requires that the
/// changelog has changed with them.
///
/// # Errors
/// If a source file cannot be parsed, or a list cannot be written.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let tree = Tree::of_house(house)?;
    let is_check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("api accepts only --check"),
    };
    let mut verdict = Verdict::Good;
    for watched in WATCHED {
        let (path, current) = (watched.list, list(&tree, &watched)?);
        if is_check {
            let changes = changes(tree.file(path).map_or("", |file| &file.text), &current);
            changes.iter().for_each(|change| output::line(change));
            if !changes.is_empty() {
                output::line(&format!("api: {path} is out of date; run `cargo xtask api`"));
                verdict = Verdict::Bad;
            }
        } else {
            house.write(path, &current)?;
        }
    }
    for (_, missing) in unexplained(house) {
        output::line(&format!("api: {missing}; add an entry that starts with `Library:` to CHANGELOG.md"));
        if is_check {
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

/// Returns each list of public items that changed after the last change of the changelog, with a message; none if git
/// cannot tell.
pub(crate) fn unexplained(house: &Repository) -> Vec<(&'static str, String)> {
    WATCHED.iter().filter_map(|watched| Some((watched.list, message(house, watched.list)?))).collect()
}

fn message(house: &Repository, list: &str) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = programs::program("git");
        programs::output(git.args(arguments).current_dir(house.root())).ok()
    };
    let changed = |file| git(&["status", "--porcelain", "--", file]).is_some_and(|lines| !lines.is_empty());
    let last = |file| git(&["rev-list", "-1", "HEAD", "--", file]).map(|line| line.trim().to_owned());
    let explained = if changed(list) {
        changed(CHANGELOG)
    } else {
        let (listed, log) = (last(list)?, last(CHANGELOG)?);
        let count = git(&["rev-list", "--count", &format!("{log}..{listed}")])?;
        // Zero means that no commit after the last change of the changelog changed the list.
        changed(CHANGELOG) || listed.is_empty() || count.trim() == "0"
    };
    (!explained).then(|| format!("{list} changed after the last change of {CHANGELOG}"))
}

/// Returns the lines that only one of two lists has, in the form of a diff without context.
#[must_use]
pub fn changes(kept: &str, current: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let (kept, current) = (lines(kept), lines(current));
    let gone = kept.difference(&current).map(|line| format!("-{line}"));
    gone.chain(current.difference(&kept).map(|line| format!("+{line}"))).collect()
}

/// Lists the public items of a watched crate, one per line.
///
/// # Errors
/// If a source file cannot be parsed.
pub fn list(tree: &Tree, watched: &Watched) -> Result<String> {
    let (sources, found, lines) = (Sources::new(tree), BTreeMap::new(), Lines::default());
    let mut walk = Walk { watched: *watched, sources, found, lines };
    let root = vec![watched.name.to_owned()];
    walk.module(&root, watched.name)?;
    let found = std::mem::take(&mut walk.found);
    for (target, paths) in found {
        walk.target(&target, paths)?;
    }
    Ok(walk.lines.text())
}

/// Walk over the public modules.
struct Walk<'a> {
    watched: Watched,
    sources: Sources<'a>,
    /// All public paths of each item, each with its `#[cfg]` attributes.
    found: BTreeMap<Target, BTreeMap<String, String>>,
    lines: Lines,
}

impl Walk<'_> {
    fn module(&mut self, module: &Path, shown: &str) -> Result<()> {
        for item in self.sources.items(module)? {
            if let Item::Use(used) = &item {
                if is_public(&used.vis) && !is_hidden(&used.attrs) {
                    for leaf in leaves(&used.tree) {
                        self.reexport(module, shown, leaf, &items::condition(&used.attrs))?;
                    }
                }
                continue;
            }
            let (Some(name), Some((visibility, attributes))) = (ident(&item), head(&item)) else { continue };
            if !is_public(visibility) || is_test(attributes) || is_hidden(attributes) {
                continue;
            }
            let path = format!("{shown}::{name}");
            let condition = items::condition(attributes);
            if !matches!(item, Item::Mod(_)) {
                self.add(Target::Item(module.clone(), name.to_string()), path, condition);
            } else if self.is_unstable(shown, &name.to_string()) {
                self.lines.add(format!("{condition}pub mod {path} (unstable)"));
            } else {
                self.lines.add(format!("{condition}pub mod {path}"));
                self.module(&[module.as_slice(), &[name.to_string()]].concat(), &path)?;
            }
        }
        Ok(())
    }

    fn reexport(&mut self, module: &Path, shown: &str, leaf: Leaf, condition: &str) -> Result<()> {
        let target = self.sources.find(module, &leaf)?;
        match (target, leaf.name) {
            (Target::Module(inner), None) => self.module(&inner, shown),
            (Target::Module(_), Some(name)) if self.is_unstable(shown, &name) => {
                self.lines.add(format!("{condition}pub mod {shown}::{name} (unstable)"));
                Ok(())
            }
            (Target::Module(inner), Some(name)) => {
                let path = format!("{shown}::{name}");
                self.lines.add(format!("{condition}pub mod {path}"));
                self.module(&inner, &path)
            }
            (target, Some(name)) => {
                self.add(target, format!("{shown}::{name}"), condition.to_owned());
                Ok(())
            }
            (target, None) => bail!("the glob import of {target:?} cannot be resolved"),
        }
    }

    /// Returns whether a module of the crate may change in every release.
    fn is_unstable(&self, shown: &str, module: &str) -> bool {
        shown == self.watched.name && self.watched.unstable.contains(&module)
    }

    fn add(&mut self, target: Target, path: String, condition: String) {
        self.found.entry(target).or_default().insert(path, condition);
    }

    /// Lists an item under its shortest path, and its other paths as `pub use` lines.
    fn target(&mut self, target: &Target, paths: BTreeMap<String, String>) -> Result<()> {
        let Some((path, condition)) = paths.iter().min_by_key(|(path, _)| (path.len(), *path)) else {
            return Ok(());
        };
        for (other, condition) in paths.iter().filter(|(other, _)| *other != path) {
            self.lines.add(format!("{condition}pub use {other} = {path}"));
        }
        let (module, name) = match target {
            Target::Item(module, name) => (module, name),
            Target::Foreign(from) => {
                self.lines.add(format!("{condition}pub use {path} = {from}"));
                return Ok(());
            }
            Target::Module(_) => return Ok(()),
        };
        let items = self.sources.items(module)?;
        for item in items.iter().filter(|item| ident(item).is_some_and(|own| own == name)) {
            self.lines.item(item, path, condition);
        }
        self.implementations(module, name, path, condition)
    }

    fn implementations(&mut self, module: &Path, name: &str, path: &str, condition: &str) -> Result<()> {
        let Some(modules) = self.sources.modules(&module[0])? else { return Ok(()) };
        let defines = |items: &[Item]| items.iter().any(|item| ident(item).is_some_and(|own| own == name));
        let several = modules.values().filter(|items| defines(items)).count() > 1;
        for (place, items) in modules {
            // If a crate defines several types with this name, an `impl` block belongs to this type only if it is in the
            // same module, or in a submodule that defines no type with the name. Skip all other modules.
            if several && !(place == module || place.starts_with(module) && !defines(items)) {
                continue;
            }
            for item in items {
                if let Item::Impl(block) = item
                    && !is_test(&block.attrs)
                    && items::self_name(block).is_some_and(|own| own == name)
                    && block.trait_.as_ref().is_none_or(|(_, of, _)| !is_private_trait(modules, of))
                {
                    self.lines.implementation(block, path, condition);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a crate defines the trait and does not export it.
fn is_private_trait(modules: &BTreeMap<Path, Vec<Item>>, of: &syn::Path) -> bool {
    let Some(last) = of.segments.last() else { return false };
    let mut own = modules.values().flatten().filter_map(|item| match item {
        Item::Trait(item) if item.ident == last.ident => Some(is_public(&item.vis)),
        _ => None,
    });
    own.next().is_some_and(|public| !public)
}
