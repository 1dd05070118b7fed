//! Values of expressions.

use std::sync::Arc;

use crate::ids::{At, FileId};

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A symbol itself: a class, a function, a module within a file.
    Thing(At),
    /// An object of a class, with the types in the brackets of its type.
    One(At, Arc<[Value]>),
    /// An object of a class, limited to the inherited members.
    Above(At),
    /// A file as a module.
    File(FileId),
    /// A directory as a module or package.
    Folder(Arc<str>),
    /// A container from outside the workspace, with its contents.
    Held(Arc<[Value]>),
    /// A transparent wrapper type, such as a pointer.
    Wrap(Arc<Value>),
    /// A function that gives this.
    Gives(Arc<Value>),
    /// One of several.
    Either(Arc<[Value]>),
    /// Something that is defined outside of the workspace.
    Outside,
    /// The type is known, and no such member of it.
    Absent,
    /// An unknown value.
    Unknown,
}

impl Value {
    pub(crate) fn one(class: At) -> Self {
        Self::One(class, Arc::from([]))
    }

    /// Builds a union; an unknown part counts only if no part is known to be in the workspace.
    pub(crate) fn either(all: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        let (mut outside, mut open) = (false, None);
        for value in all {
            match value {
                Self::Unknown | Self::Absent => open = Some(value),
                Self::Outside => outside = true,
                Self::Either(inner) => kept.extend(inner.iter().cloned()),
                value if kept.contains(&value) => {}
                value => kept.push(value),
            }
        }
        match (kept.len(), open) {
            (0, Some(open)) => open,
            (0, None) if outside => Self::Outside,
            (0, None) => Self::Unknown,
            (1, _) => kept.remove(0),
            _ => Self::Either(kept.into()),
        }
    }

    /// Returns the alternatives.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Either(all) => all,
            one => std::slice::from_ref(one),
        }
    }
}
