//! `skills`: which skills there are, by name and description.

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

/// Lists skills.
pub struct Skills;

/// Which skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Only those in whose name or description this stands.
    pub filter: Option<String>,
}

/// The skills that there are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Those that can be used, by their names.
    pub skills: Vec<Skill>,
    /// Where those of the project lie that nobody has trusted.
    pub untrusted: Vec<String>,
    /// Those that another of the same name hides: the name, the one that is hidden, the one that is used.
    pub shadowed: Vec<(String, String, String)>,
    /// What is wrong with which, in words.
    pub problems: Vec<String>,
    /// How many there would be without the filter.
    pub all: usize,
}

impl Operation for Skills {
    const NAME: &'static str = "skills";
    /// Which files are read on the way is judged one by one.
    const ACCESS: &'static [Access] = &[Access::Reads];
    type Capability = SkillLibrary;
    type Request = Request;
    type Output = Output;

    fn touches(_request: &Request) -> Vec<Touch> {
        Vec::new()
    }

    async fn run(library: &SkillLibrary, request: Request, cx: &CallCtx) -> Result<Output, Failure> {
        cx.check()?;
        let (library, may) = (library.clone(), cx.may_read.clone());
        blocking(move || {
            let found = find(&library, &may);
            let wanted = request.filter.map(|filter| filter.to_lowercase());
            let fits = |skill: &Skill| {
                let holds =
                    |text: &str| wanted.as_ref().is_none_or(|wanted| text.to_lowercase().contains(wanted));
                holds(&skill.name) || holds(&skill.description)
            };
            let shown: Vec<Skill> = found.skills.into_iter().filter(|skill| !skill.is_users).collect();
            Ok(Output {
                all: shown.len(),
                skills: shown.into_iter().filter(fits).collect(),
                untrusted: found.untrusted.into_iter().map(|skill| skill.location).collect(),
                shadowed: found.shadowed,
                problems: found.problems,
            })
        })
        .await
    }
}
