//! `cargo xtask api`: the list of public items that follow semantic versions, read from the sources.

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

/// The crate whose public items are watched.
const CRATE: &str = "toolpost";
/// Public modules of the crate that may change in every release; docs/stability.md lists them.
const UNSTABLE: &[&str] = &["agents", "approvals", "code_search", "parts", "trust"];
/// The list of public items, a file in Git.
pub(crate) const LIST: &str = "crates/toolpost/api.txt";
const CHANGELOG: &str = "CHANGELOG.md";

/// Writes the list of public items. With `--check`, compares it with the sources, and requires that the
/// changelog has changed with it.
///
/// # Errors
/// If a source file cannot be parsed, or the list cannot be written.
pub fn run(house: &Repository, arguments: &[String]) -> Result<Verdict> {
    let tree = Tree::of_house(house)?;
    match arguments {
        [] => house.write(LIST, &list(&tree)?)?,
        [flag] if flag == "--check" => {
            let kept = tree.file(LIST).map_or("", |file| &file.text);
            let changes = changes(kept, &list(&tree)?);
            changes.iter().for_each(|change| output::line(change));
            if !changes.is_empty() {
                output::line(&format!("api: {LIST} is out of date; run `cargo xtask api`"));
                return Ok(Verdict::Bad);
            }
        }
        _ => bail!("api accepts only --check"),
    }
    let Some(missing) = unexplained(house) else { return Ok(Verdict::Good) };
    output::line(&format!("api: {missing}; add an entry that starts with `Library:` to CHANGELOG.md"));
    Ok(if arguments.is_empty() { Verdict::Good } else { Verdict::Bad })
}

/// Returns a message if the list of public items changed after the last change of the changelog; `None` if it
/// did not, or if git cannot tell.
pub(crate) fn unexplained(house: &Repository) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = programs::program("git");
        programs::output(git.args(arguments).current_dir(house.root())).ok()
    };
    let changed = |file| git(&["status", "--porcelain", "--", file]).is_some_and(|lines| !lines.is_empty());
    let last = |file| git(&["rev-list", "-1", "HEAD", "--", file]).map(|line| line.trim().to_owned());
    let explained = if changed(LIST) {
        changed(CHANGELOG)
    } else {
        let (list, log) = (last(LIST)?, last(CHANGELOG)?);
        let count = git(&["rev-list", "--count", &format!("{log}..{list}")])?;
        // Zero means that no commit after the last change of the changelog changed the list.
        changed(CHANGELOG) || list.is_empty() || count.trim() == "0"
    };
    (!explained).then(|| format!("{LIST} changed after the last change of {CHANGELOG}"))
}

/// Returns the lines that only one of two lists has, in the form of a diff without context.
#[must_use]
pub fn changes(kept: &str, current: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let (kept, current) = (lines(kept), lines(current));
    let gone = kept.difference(&current).map(|line| format!("-{line}"));
    gone.chain(current.difference(&kept).map(|line| format!("+{line}"))).collect()
}

/// Lists the public items of the watched crate, one per line.
///
/// # Errors
/// If a source file cannot be parsed.
pub fn list(tree: &Tree) -> Result<String> {
    let mut walk = Walk { sources: Sources::new(tree), found: BTreeMap::new(), lines: Lines::default() };
    let root = vec![CRATE.to_owned()];
    walk.module(&root, CRATE)?;
    let found = std::mem::take(&mut walk.found);
    for (target, paths) in found {
        walk.target(&target, paths)?;
    }
    Ok(walk.lines.text())
}

/// Walk over the public modules.
struct Walk<'a> {
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
            } else if shown == CRATE && UNSTABLE.contains(&name.to_string().as_str()) {
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
