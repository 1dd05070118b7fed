//! The examples in a policy file, which must hold before its rules take effect.

use crate::{
    access::command::Host,
    command::{self, ParsedCommand},
    decision::Decision,
    error::PolicyError,
    file::{ParsedRule, PolicyFile},
    pattern::PatternCertainty,
    policy::Policy,
    rule::{RuleSource, Target},
};
use std::path::Path;
use toolpost_shell as shell;

/// Checks that each rule of a file matches its own examples.
pub(crate) fn each_rule(file: &PolicyFile, source: &RuleSource) -> Result<(), PolicyError> {
    for (number, parsed) in file.rules.iter().enumerate() {
        if let Some(example) = parsed.examples.iter().find(|example| !matches(parsed, example)) {
            return Err(PolicyError::Example {
                file: source.to_string(),
                number: number + 1,
                why: parsed.rule.why.clone(),
                example: example.clone(),
            });
        }
    }
    Ok(())
}

/// Checks that the rules decide about the example commands of a file as the file states.
pub(crate) fn whole(file: &PolicyFile, source: &RuleSource, policy: &Policy) -> Result<(), PolicyError> {
    let lists = [
        (Decision::Allow, &file.examples.allow),
        (Decision::Ask, &file.examples.ask),
        (Decision::Deny, &file.examples.deny),
    ];
    for (wanted, list) in lists {
        for example in list {
            // A file's examples have no working directory, so their relative paths count as being below a root.
            let reading = ParsedCommand {
                script: shell::read(example),
                directory: Path::new("/root"),
                roots: &["/root".into()],
            };
            let explained = command::judge(policy, example.clone(), &reading);
            if explained.decision != wanted {
                return Err(PolicyError::Judged {
                    file: source.to_string(),
                    example: example.clone(),
                    listed: wanted.word(),
                    said: explained.decision.word(),
                    why: explained.reason().trim_end_matches('.').to_owned(),
                });
            }
        }
    }
    Ok(())
}

fn matches(parsed: &ParsedRule, example: &str) -> bool {
    match &parsed.rule.target {
        Target::Paths { .. } => parsed.rule.matches_path(example, example),
        Target::Tools(_) => parsed.rule.matches_tool(example),
        Target::Hosts(_) => parsed.rule.matches_host(&Host::new(example)),
        Target::Agents(_) => parsed.rule.matches_agent(example),
        Target::Acts(_) => parsed.rule.matches_act(example),
        Target::Commands(patterns) => {
            let allows = parsed.rule.decision == Decision::Allow;
            shell::read(example).segments.iter().any(|segment| {
                patterns.iter().any(|pattern| {
                    if allows {
                        pattern.covers(segment)
                    } else {
                        pattern.reach(segment) == PatternCertainty::Yes
                    }
                })
            })
        }
    }
}
