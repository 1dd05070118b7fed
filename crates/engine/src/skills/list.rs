//! The `skills` operation: lists the available skills with their descriptions.

pub use super::{Skill, Source};

use super::find::find;
use crate::{
    access::{Access, Touch},
    call::CallCtx,
    failure::Failure,
    operation::Operation,
    skills::SkillLibrary,
    workers::blocking,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The `skills` operation, which lists the available skills.
pub struct Skills;

/// A request for the list of skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// A text that the name or the description of each listed skill must contain, in any letter case; `None` for all
    /// skills.
    pub filter: Option<String>,
}

/// The available skills.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The skills that a model may start, sorted by name.
    pub skills: Vec<Skill>,
    /// The locations of the project's skills that the user has not trusted. `problems` names those that cannot be
    /// trusted.
    pub untrusted: Vec<String>,
    /// Skills that another skill of the same name hides: name, location of the hidden skill, location of the
    /// used skill.
    pub shadowed: Vec<(String, String, String)>,
    /// The problems of skill files, one line each.
    pub problems: Vec<String>,
    /// Number of skills that a model may start, before the filter is applied.
    pub all: usize,
}

impl Operation for Skills {
    const NAME: &'static str = "skills";
    /// The access rules are checked for each skill file before the file is read.
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = SkillLibrary;
    type Request = Request;
    type Output = Output;

    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(library: &SkillLibrary, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (library, may, cx) = (library.clone(), cx.read_filter(), cx.clone());
        blocking(move || {
            let found = find(&library, &may, || cx.check())?;
            let wanted = request.filter.map(|filter| filter.to_lowercase());
            let fits = |skill: &Skill| {
                let holds =
                    |text: &str| wanted.as_ref().is_none_or(|wanted| text.to_lowercase().contains(wanted));
                holds(&skill.name) || holds(&skill.description)
            };
            let shown: Vec<Skill> = found.skills.into_iter().filter(|skill| !skill.is_users).collect();
            let untrusted = found.untrusted.into_iter().filter(|skill| skill.content().is_ok());
            Ok(Output {
                all: shown.len(),
                skills: shown.into_iter().filter(fits).collect(),
                untrusted: untrusted.map(|skill| skill.location).collect(),
                shadowed: found.shadowed,
                problems: found.problems,
            })
        })
        .await
    }
}
