//! Tree of the watched directories.

use std::collections::HashMap;

use crate::root::Root;

/// Parent of a watched directory in the tree.
#[derive(Clone, Debug)]
pub(super) enum ParentNode {
    /// The directory has no watched parent: it is this root.
    Root(Root),
    /// The watch descriptor of the parent directory.
    Watch(i32),
}

/// Watched directories, by watch descriptor.
#[derive(Debug, Default)]
pub(super) struct WatchTree {
    all: HashMap<i32, Node>,
    roots: Vec<(Root, i32)>,
}

#[derive(Debug)]
struct Node {
    above: ParentNode,
    name: Box<[u8]>,
    inside: HashMap<Box<[u8]>, i32>,
}

impl WatchTree {
    /// Returns the number of watched directories.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether the tree contains this watch.
    pub(super) fn has(&self, watch: i32) -> bool {
        self.all.contains_key(&watch)
    }

    /// Returns whether this watch is on a root.
    pub(super) fn is_root(&self, watch: i32) -> bool {
        self.all.get(&watch).is_some_and(|place| matches!(place.above, ParentNode::Root(_)))
    }

    /// Adds a watch on a root.
    pub(super) fn put_root(&mut self, watch: i32, root: &Root) {
        self.roots.push((root.clone(), watch));
        // A root inside another root already has an entry, as a directory of the outer root.
        self.all.entry(watch).or_insert_with(|| Node {
            above: ParentNode::Root(root.clone()),
            name: Box::default(),
            inside: HashMap::new(),
        });
    }

    /// Adds a watch on a directory below a watched directory. If another directory had the same path, removes its
    /// watches and those of everything below it, and returns them. Does nothing if `watch` is on a root, or on a
    /// directory that contains `above`.
    pub(super) fn put(&mut self, watch: i32, above: i32, name: &[u8]) -> Vec<i32> {
        if self.is_root(watch) || self.leads_to(above, watch) {
            return Vec::new();
        }
        let before = self.all.get(&above).and_then(|place| place.inside.get(name)).copied();
        let replaced = match before {
            Some(same) if same == watch => return Vec::new(),
            Some(other) => self.take(other),
            None => Vec::new(),
        };
        let inside = match self.all.remove(&watch) {
            // The directory was moved, and the watches below it are kept.
            Some(moved) => {
                self.cut(watch, &moved);
                moved.inside
            }
            None => HashMap::new(),
        };
        self.all.insert(watch, Node { above: ParentNode::Watch(above), name: name.into(), inside });
        if let Some(place) = self.all.get_mut(&above) {
            place.inside.insert(name.into(), watch);
        }
        replaced
    }

    /// Removes the watches of the directory `name` in a watched directory, and of everything below it.
    /// Returns these watches.
    pub(super) fn take_named(&mut self, above: i32, name: &[u8]) -> Vec<i32> {
        let found = self.all.get(&above).and_then(|place| place.inside.get(name)).copied();
        found.map(|watch| self.take(watch)).unwrap_or_default()
    }

    /// Removes a watch and the watches of everything below its directory. Returns the removed watches.
    pub(super) fn take(&mut self, watch: i32) -> Vec<i32> {
        let mut taken = Vec::new();
        let mut open = vec![watch];
        while let Some(watch) = open.pop() {
            let Some(place) = self.all.remove(&watch) else { continue };
            self.cut(watch, &place);
            open.extend(place.inside.values().copied());
            taken.push(watch);
        }
        taken
    }

    /// Returns the root of a watched directory, and the path of its entry `name` relative to that root. `None` if the
    /// watch is not known, or its parents form a cycle.
    pub(super) fn way(&self, watch: i32, name: &[u8]) -> Option<(&Root, Vec<u8>)> {
        let mut names: Vec<&[u8]> = if name.is_empty() { Vec::new() } else { vec![name] };
        let mut place = self.all.get(&watch)?;
        // The limit ends the loop if parents form a cycle. A path has at most as many components as there are
        // directories.
        for _ in 0..=self.all.len() {
            match &place.above {
                ParentNode::Root(root) => {
                    names.reverse();
                    return Some((root, names.join(&b'/')));
                }
                ParentNode::Watch(above) => {
                    names.push(&place.name);
                    place = self.all.get(above)?;
                }
            }
        }
        None
    }

    /// Finds the watch of a directory by its path below a root.
    pub(super) fn find<'n>(&self, root: &Root, names: impl Iterator<Item = &'n [u8]>) -> Option<i32> {
        // For a root inside another root, this is the watch of its directory in the outer root.
        let from = self.roots.iter().rev().find(|(own, _)| own == root).map(|(_, watch)| *watch)?;
        names
            .filter(|name| !name.is_empty())
            .try_fold(from, |watch, name| self.all.get(&watch)?.inside.get(name).copied())
    }

    /// Returns whether the directory of `watch` is the directory of `other`, or below it. Also true if its parents form
    /// a cycle.
    fn leads_to(&self, watch: i32, other: i32) -> bool {
        let mut here = watch;
        for _ in 0..=self.all.len() {
            if here == other {
                return true;
            }
            match self.all.get(&here).map(|place| &place.above) {
                Some(ParentNode::Watch(above)) => here = *above,
                Some(ParentNode::Root(_)) | None => return false,
            }
        }
        true
    }

    /// Removes a watch from the children of its parent.
    fn cut(&mut self, watch: i32, place: &Node) {
        if let ParentNode::Watch(above) = place.above
            && let Some(parent) = self.all.get_mut(&above)
            && parent.inside.get(&place.name) == Some(&watch)
        {
            parent.inside.remove(&place.name);
        }
    }
}
