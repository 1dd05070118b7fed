//! Modules of the workspace's crates as syntax trees.

use super::table;
use crate::tree::Tree;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use syn::{Item, ItemMod, Visibility};

/// Path of a module: the crate's name as code writes it, then the names of the modules.
pub(super) type Path = Vec<String>;

/// Modules of the requested crates, each read once.
pub(super) struct Sources<'a> {
    tree: &'a Tree,
    crates: BTreeMap<String, BTreeMap<Path, Vec<Item>>>,
}

/// Definition or module that a name refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// An item of a module, by its name.
    Item(Path, String),
    /// A module.
    Module(Path),
    /// An item of a crate from outside the workspace, by its path.
    Foreign(String),
}

impl<'a> Sources<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, crates: BTreeMap::new() }
    }

    /// Returns the modules of a crate; `None` if the crate is not in the workspace.
    pub(super) fn modules(&mut self, name: &str) -> Result<Option<&BTreeMap<Path, Vec<Item>>>> {
        if !self.crates.contains_key(name) {
            let folder = name.strip_prefix("toolpost_").unwrap_or(name).replace('_', "-");
            let root = format!("crates/{folder}/src");
            if self.tree.file(&format!("{root}/lib.rs")).is_none() {
                return Ok(None);
            }
            let mut modules = BTreeMap::new();
            self.read(&format!("{root}/lib.rs"), &root, vec![name.to_owned()], &mut modules)?;
            self.crates.insert(name.to_owned(), modules);
        }
        Ok(self.crates.get(name))
    }

    /// Returns the items of a module.
    pub(super) fn items(&mut self, path: &Path) -> Result<Vec<Item>> {
        let Some(name) = path.first() else { return Ok(Vec::new()) };
        Ok(self.modules(name)?.and_then(|modules| modules.get(path)).cloned().unwrap_or_default())
    }

    fn read(
        &self,
        file: &str,
        folder: &str,
        path: Path,
        modules: &mut BTreeMap<Path, Vec<Item>>,
    ) -> Result<()> {
        let source = self.tree.file(file).with_context(|| format!("{file} is not in the repository"))?;
        let items = syn::parse_file(&source.text).with_context(|| format!("{file} cannot be parsed"))?.items;
        self.add(items, folder, path, modules)
    }

    fn add(
        &self,
        items: Vec<Item>,
        folder: &str,
        path: Path,
        modules: &mut BTreeMap<Path, Vec<Item>>,
    ) -> Result<()> {
        let items = table::expanded(items)?;
        for item in &items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            let inner = [path.as_slice(), std::slice::from_ref(&name)].concat();
            // If two modules under different `cfg`s have the same name, only the first is read: it is the
            // complete one.
            if is_test(&module.attrs) || modules.contains_key(&inner) {
                continue;
            }
            let below = format!("{folder}/{name}");
            match (&module.content, self.file(module, folder)) {
                (Some((_, items)), _) => self.add(items.clone(), &below, inner, modules)?,
                (None, Some(file)) => self.read(&file, &below, inner, modules)?,
                (None, None) => {}
            }
        }
        modules.insert(path, items);
        Ok(())
    }

    fn file(&self, module: &ItemMod, folder: &str) -> Option<String> {
        let name = &module.ident;
        let own = module.attrs.iter().find(|attribute| attribute.path().is_ident("path"));
        let own = own.and_then(|attribute| match &attribute.meta.require_name_value().ok()?.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        });
        let names = match own {
            Some(own) => vec![format!("{folder}/{own}")],
            None => vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")],
        };
        names.into_iter().find(|name| self.tree.file(name).is_some())
    }

    /// Resolves a path in the code of a module, through re-exports.
    pub(super) fn find(&mut self, module: &Path, leaf: &Leaf) -> Result<Target> {
        let (path, mut at) = (&leaf.path, module.clone());
        for (place, name) in path.iter().enumerate() {
            let rest = &path[place + 1..];
            match name.as_str() {
                "crate" => at.truncate(1),
                "self" => {}
                "super" => {
                    at.pop();
                }
                name => match self.member(&at, name, rest.is_empty() && leaf.name.is_some())? {
                    Some(Target::Module(module)) => at = module,
                    Some(target) if rest.is_empty() => return Ok(target),
                    // The rest of the path names a member of a type, such as a variant.
                    Some(_) => return Ok(Target::Foreign(path.join("::"))),
                    None if place == 0 && self.modules(name)?.is_some() => at = vec![name.to_owned()],
                    None => return Ok(Target::Foreign(path.join("::"))),
                },
            }
        }
        Ok(Target::Module(at))
    }

    /// Finds a name in a module. At the end of a path, a private module is the target only if no other item
    /// has the name.
    fn member(&mut self, module: &Path, name: &str, is_last: bool) -> Result<Option<Target>> {
        let items = self.items(module)?;
        let mut hidden = None;
        for item in items.iter().filter(|item| ident(item).is_some_and(|own| own == name)) {
            let inner = Target::Module([module.as_slice(), &[name.to_owned()]].concat());
            match item {
                Item::Mod(own) if is_last && !is_public(&own.vis) => hidden = Some(inner),
                Item::Mod(_) => return Ok(Some(inner)),
                _ if is_last => return Ok(Some(Target::Item(module.clone(), name.to_owned()))),
                _ => {}
            }
        }
        for item in &items {
            let Item::Use(used) = item else { continue };
            for leaf in leaves(&used.tree) {
                match leaf.name.as_deref() {
                    Some(own) if own == name && leaf.path != [name.to_owned()] => {
                        return self.find(module, &leaf).map(Some);
                    }
                    None if is_public(&used.vis) => {
                        if let Target::Module(inner) = self.find(module, &leaf)?
                            && let Some(found) = self.member(&inner, name, is_last)?
                        {
                            return Ok(Some(found));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(hidden)
    }
}

/// One name that a `use` imports: its path, and its local name; `None` for a glob.
pub(super) struct Leaf {
    pub(super) path: Path,
    pub(super) name: Option<String>,
}

/// Splits a `use` into its names.
pub(super) fn leaves(tree: &syn::UseTree) -> Vec<Leaf> {
    match tree {
        syn::UseTree::Path(path) => {
            let mut inner = leaves(&path.tree);
            for leaf in &mut inner {
                if leaf.path == ["self"] {
                    leaf.path.clear();
                    leaf.name = leaf
                        .name
                        .as_ref()
                        .map(|name| if name == "self" { path.ident.to_string() } else { name.clone() });
                }
                leaf.path.insert(0, path.ident.to_string());
            }
            inner
        }
        syn::UseTree::Name(name) => {
            vec![Leaf { path: vec![name.ident.to_string()], name: Some(name.ident.to_string()) }]
        }
        syn::UseTree::Rename(rename) => {
            vec![Leaf { path: vec![rename.ident.to_string()], name: Some(rename.rename.to_string()) }]
        }
        syn::UseTree::Glob(_) => vec![Leaf { path: Vec::new(), name: None }],
        syn::UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// Returns the name that an item defines.
pub(super) fn ident(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Mod(item) => Some(&item.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

/// Returns the visibility and the attributes of an item that has a name.
pub(super) fn head(item: &Item) -> Option<(&Visibility, &[syn::Attribute])> {
    Some(match item {
        Item::Const(item) => (&item.vis, &item.attrs),
        Item::Enum(item) => (&item.vis, &item.attrs),
        Item::Fn(item) => (&item.vis, &item.attrs),
        Item::Mod(item) => (&item.vis, &item.attrs),
        Item::Static(item) => (&item.vis, &item.attrs),
        Item::Struct(item) => (&item.vis, &item.attrs),
        Item::Trait(item) => (&item.vis, &item.attrs),
        Item::Type(item) => (&item.vis, &item.attrs),
        Item::Union(item) => (&item.vis, &item.attrs),
        _ => return None,
    })
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns whether attributes limit an item to the tests of the crate.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| super::tokens::line(attribute) == "#[cfg(test)]")
}

/// Returns whether attributes hide an item from the documentation.
pub(super) fn is_hidden(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| super::tokens::line(attribute) == "#[doc(hidden)]")
}
