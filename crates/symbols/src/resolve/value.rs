//! The possible values of an expression during name resolution: classes, objects of classes, modules, functions.

use std::sync::Arc;

use crate::ids::{At, FileId};

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A symbol itself: a class, a function, a module within a file.
    Thing(At),
    /// An object of a class, with the type arguments of its type.
    One(At, Arc<[Value]>),
    /// The value of `super` in a class: an object of the class, with the inherited members only.
    Above(At),
    /// A file as a module.
    File(FileId),
    /// A directory as a module or package.
    Folder(Arc<str>),
    /// An object of a container type from outside the workspace, with the values of its type arguments.
    Held(Arc<[Value]>),
    /// An object of a transparent wrapper type, such as a pointer, with the wrapped value.
    Wrap(Arc<Value>),
    /// A function that returns this value.
    Gives(Arc<Value>),
    /// One of several values.
    Either(Arc<[Value]>),
    /// Something that is defined outside the workspace.
    Outside,
    /// No definition was found where one is expected: for example, the type is known and has no such member.
    /// Symbols of the workspace with the same name are at most possible targets.
    Absent,
    /// An unknown value.
    Unknown,
}

impl Value {
    pub(crate) fn one(class: At) -> Self {
        Self::One(class, Arc::from([]))
    }

    /// Builds a union. An unknown part counts only if no part is a known value in the workspace.
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

    /// Returns the alternatives of a union; for any other value, the value itself.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Either(all) => all,
            one => std::slice::from_ref(one),
        }
    }
}
