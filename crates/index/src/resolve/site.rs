//! What a use of a name leads to, how that was found, and how sure it is.

use serde::{Deserialize, Serialize};
use toolpost_syntax::Kind;

use super::lookup::Meanings;
use super::{Resolver, Spot, Value};
use crate::graph::{At, FileId, is_class};
use crate::record::{Bound, Expression, Step, Usage, Used};
use crate::rules::{self, Family, together};

/// What a use of a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// To these symbols of the workspace.
    Targets(Vec<Target>),
    /// To something that is defined outside of the workspace.
    Outside,
    /// To a local name: a parameter, or a variable that holds a function.
    Local,
    /// Nobody can tell.
    Unresolved,
}

/// A symbol that a use of a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The symbol.
    pub at: At,
    /// How it was found.
    pub how: How,
    /// How sure it is.
    pub sure: Sure,
}

/// How it was found what a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It is defined around the place, or at the top of the file.
    Scope,
    /// It belongs to the class itself, or to what that inherits.
    Member,
    /// It is imported.
    Import,
    /// Another file of the same package defines it.
    Package,
    /// It is what is linked: by what is included, or as the only one.
    Linked,
    /// The type of the object is known.
    Typed,
    /// It is a local name.
    Local,
    /// The object may be of a class that has its own.
    Dispatch,
    /// It is the only one of its name that could be meant.
    Unique,
    /// It has the same name.
    SameName,
    /// A language server said so.
    Server,
    /// An index that a compiler made says so.
    Scip,
    /// The type has all methods that the interface asks for.
    Methods,
}

/// How sure it is what a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sure {
    /// The text says so.
    Proved,
    /// It is likely.
    Inferred,
    /// It may be, as others may.
    Possible,
}

/// How many symbols of one name are given that may be meant.
const CANDIDATES: usize = 8;

impl How {
    /// Tells how sure it is what was found so.
    #[must_use]
    pub fn sure(self) -> Sure {
        match self {
            Self::Scope
            | Self::Member
            | Self::Import
            | Self::Package
            | Self::Linked
            | Self::Typed
            | Self::Server
            | Self::Scip => Sure::Proved,
            Self::Unique | Self::Local | Self::Methods => Sure::Inferred,
            Self::Dispatch | Self::SameName => Sure::Possible,
        }
    }

    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Member => "member",
            Self::Import => "import",
            Self::Package => "package",
            Self::Linked => "linked",
            Self::Typed => "typed",
            Self::Local => "local",
            Self::Dispatch => "dispatch",
            Self::Unique => "unique",
            Self::SameName => "same_name",
            Self::Server => "server",
            Self::Scip => "scip",
            Self::Methods => "methods",
        }
    }
}

impl Sure {
    /// Names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Inferred => "inferred",
            Self::Possible => "possible",
        }
    }
}

impl Resolver<'_> {
    /// Finds what a use of a name leads to.
    pub(crate) fn found(&self, file: FileId, used: &Used) -> Found {
        self.cut.set(false);
        match self.followed(file, used) {
            // Where it was not followed to its end, nobody knows that it leads out.
            Found::Outside if self.cut.get() => Found::Unresolved,
            found => found,
        }
    }

    fn followed(&self, file: FileId, used: &Used) -> Found {
        if let Some((symbols, by)) = self.graph.told(file, used) {
            return match symbols.as_slice() {
                [] => Found::Outside,
                _ => self.targets(symbols.into_iter().map(|at| (at, by)).collect()),
            };
        }
        let spot = Spot { file, place: used.at };
        let meanings = match used.usage {
            Usage::Import => self.brought(spot),
            _ => self.meant(spot, used),
        };
        let meanings = if used.usage == Usage::Call { self.callable(meanings) } else { meanings };
        let things = Self::things(&meanings);
        if !things.is_empty() {
            let rules = self.rules(file);
            // Of two functions of one name in a package of Go, what the program is built for decides.
            let several = rules.bare_members || rules.family == Family::Go;
            return self.overloaded(self.targets(things), several);
        }
        if meanings.is_empty() && used.receiver.is_none() {
            return match self.rules(file).family {
                Family::None => self.by_name(file, used),
                _ => Found::Outside,
            };
        }
        self.otherwise(file, used, &meanings)
    }

    /// Puts what is called in the place of a variable that holds it, and the method that is called in that of an object.
    fn callable(&self, meanings: Meanings) -> Meanings {
        let call = self.graph.word("__call__");
        let called = |(value, how): (Value, How)| -> Meanings {
            let holds = how == How::Local || matches!(value, Value::Thing(_));
            let held = match &value {
                Value::Thing(at)
                    if matches!(self.kind_of(*at), Kind::Variable | Kind::Constant | Kind::Field) =>
                {
                    self.of_symbol(*at)
                }
                _ => value,
            };
            let of_each = |value: &Value| match (value, call) {
                (Value::One(class, _), Some(call)) => {
                    let methods = self.members_of(*class, call).into_iter();
                    let methods: Meanings = methods.map(|at| (Value::Thing(at), How::Typed)).collect();
                    if methods.is_empty() { vec![(Value::Unknown, How::Local)] } else { methods }
                }
                (Value::Unknown, _) => vec![(Value::Unknown, how)],
                // Of a function that something holds, only the type is known.
                (Value::Gives(_), _) if holds => vec![(Value::Unknown, how)],
                (value, _) => vec![(value.clone(), how)],
            };
            held.each().iter().flat_map(of_each).collect()
        };
        meanings.into_iter().flat_map(called).collect()
    }

    fn kind_of(&self, at: At) -> Kind {
        self.graph.symbol(at).kind.kind()
    }

    /// Says that one of several functions of a name is only likely, where the arguments decide which one it is.
    fn overloaded(&self, found: Found, by_arguments: bool) -> Found {
        match found {
            Found::Targets(mut targets) if by_arguments && targets.len() > 1 => {
                for target in targets.iter_mut().filter(|target| target.sure == Sure::Proved) {
                    target.sure = Sure::Inferred;
                }
                Found::Targets(targets)
            }
            other => other,
        }
    }

    fn targets(&self, things: Vec<(At, How)>) -> Found {
        let mut out: Vec<Target> = Vec::new();
        for (at, how) in things {
            if !out.iter().any(|known| known.at == at) {
                out.push(Target { at, how, sure: how.sure() });
            }
        }
        Found::Targets(out)
    }

    /// Says what there is to say where no symbol was found.
    fn otherwise(&self, file: FileId, used: &Used, meanings: &Meanings) -> Found {
        let outside = |value: &Value| {
            matches!(value, Value::Outside | Value::Held(_) | Value::Gives(_) | Value::Wrap(_))
        };
        if !meanings.is_empty() && meanings.iter().all(|(value, _)| outside(value)) {
            return Found::Outside;
        }
        if used.receiver.is_none() {
            return self.taken(file, used).unwrap_or(Found::Local);
        }
        if meanings.iter().any(|(_, how)| *how == How::Local) {
            return Found::Local;
        }
        self.by_name(file, used)
    }

    /// Finds what could be meant by a variable that holds a member of something of which nobody knows what it is.
    fn taken(&self, file: FileId, used: &Used) -> Option<Found> {
        let local = self.nearest_local(Spot { file, place: used.at }, used.name)?;
        let value = local.value.as_ref().filter(|_| local.sort == Bound::Local && local.hint.is_none())?;
        let (Step::Member(name), steps) = value.steps.split_last()? else { return None };
        let receiver = Expression { base: value.base, steps: steps.to_vec() };
        let member = Used { name: *name, receiver: Some(receiver), ..used.clone() };
        Some(match self.by_name(file, &member) {
            Found::Targets(targets) => {
                let possible = |target: Target| Target { how: How::SameName, sure: Sure::Possible, ..target };
                Found::Targets(targets.into_iter().map(possible).collect())
            }
            other => other,
        })
    }

    /// Finds what has the name and could be meant: the only one, or several.
    fn by_name(&self, file: FileId, used: &Used) -> Found {
        let own = self.file(file);
        let rules = self.rules(file);
        let text = self.graph.text(used.name);
        let member = used.receiver.is_some();
        let could = |at: &At| {
            let symbol = self.graph.symbol(*at);
            let kind = symbol.kind.kind();
            let callable = matches!(kind, Kind::Function | Kind::Macro)
                || (!member && is_class(kind) && kind != Kind::Impl);
            let fits = match used.usage {
                Usage::Call => callable,
                Usage::Type | Usage::Inherit => is_class(kind) && kind != Kind::Impl,
                Usage::Read | Usage::Write | Usage::Import => kind != Kind::Impl,
            };
            fits && together(&self.file(at.file).record.language, &own.record.language)
                && (!member || rules.family == Family::None || self.is_member(*at))
        };
        let mut all: Vec<At> = self.graph.definitions(used.name).iter().copied().filter(could).collect();
        if rules.family == Family::None {
            let here: Vec<At> = all.iter().copied().filter(|at| at.file == file).collect();
            if !here.is_empty() {
                all = here;
            }
        }
        let common = rules::lists(rules.common, text) && member;
        let group = |at: &At| (at.file, self.graph.symbol(*at).qualified);
        let alone = all.first().is_some_and(|first| all.iter().all(|at| group(at) == group(first)));
        let how = if alone && !common { How::Unique } else { How::SameName };
        if all.is_empty() || all.len() > CANDIDATES {
            return Found::Unresolved;
        }
        self.targets(all.into_iter().map(|at| (at, how)).collect())
    }

    /// Tells whether a symbol belongs to a class.
    fn is_member(&self, at: At) -> bool {
        let symbol = self.graph.symbol(at);
        match symbol.parent {
            Some(parent) => is_class(self.graph.symbol(At { file: at.file, symbol: parent }).kind.kind()),
            None => symbol.name != symbol.qualified,
        }
    }
}
