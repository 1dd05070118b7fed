//! Parser of policy files, which are in TOML.

use crate::{
    access::{Access, resource::EditorUse},
    decision::Decision,
    error::PolicyError,
    lists::Lists,
    path_patterns::PathPatterns,
    pattern::Pattern,
    rule::{Rule, RuleSource, Target},
};
use globset::{Glob, GlobBuilder};
use serde::Deserialize;
use toml::Spanned;

/// A parsed policy file.
pub(crate) struct PolicyFile {
    pub(crate) rules: Vec<ParsedRule>,
    pub(crate) lists: Lists,
    pub(crate) examples: Examples,
}

/// A rule of a policy file, with the examples that it must match.
pub(crate) struct ParsedRule {
    pub(crate) rule: Rule,
    pub(crate) examples: Vec<String>,
}

/// Example commands of a policy file, grouped by the decision that the rules must make about them.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Examples {
    #[serde(default)]
    pub(crate) allow: Vec<String>,
    #[serde(default)]
    pub(crate) ask: Vec<String>,
    #[serde(default)]
    pub(crate) deny: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Spanned<RuleEntry>>,
    #[serde(default)]
    lists: Lists,
    #[serde(default)]
    examples: Examples,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    touch: Vec<WrittenAccess>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    acts: Vec<WrittenAct>,
    decide: Decision,
    #[serde(default = "unsaid")]
    why: String,
    #[serde(default)]
    cautious: bool,
    #[serde(default)]
    examples: Vec<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrittenAccess {
    Read,
    Write,
    Execute,
    Fetch,
    Bridge,
    Delegate,
    Editor,
}

/// An editor action in the `acts` key of a rule.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrittenAct {
    Look,
    Open,
    Goto,
    Replace,
    Insert,
    #[serde(rename = "*")]
    Any,
}

/// The error for a rule with several kinds of targets, or with a target that does not fit its `touch` key.
const MIXED: &str = "a rule covers one kind of access: `paths` go with the touches read and write, `commands` with \
                     execute, \
                     `hosts` with fetch, `tools` with bridge, `agents` with delegate, `acts` with editor";

fn unsaid() -> String {
    "the rule that decides this states no reason (key `why`).".to_owned()
}

/// Parses the text of a policy file.
pub(crate) fn parse(text: &str, source: &RuleSource) -> Result<PolicyFile, PolicyError> {
    let file: File = toml::from_str(text).map_err(|error| PolicyError::Shape {
        file: source.to_string(),
        problem: error.to_string().trim().to_owned(),
    })?;
    let line = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count()) + 1;
    let rules = file.rule.into_iter().map(|written| {
        let line = line(written.span().start);
        let mut written = written.into_inner();
        let examples = std::mem::take(&mut written.examples);
        Ok(ParsedRule { rule: rule(written, source, line)?, examples })
    });
    Ok(PolicyFile {
        rules: rules.collect::<Result<_, PolicyError>>()?,
        lists: file.lists,
        examples: file.examples,
    })
}

fn rule(written: RuleEntry, source: &RuleSource, line: usize) -> Result<Rule, PolicyError> {
    let accesses: Vec<Access> = written.touch.iter().map(|access| access.meant()).collect();
    let wrong = |problem: &str| {
        Err(PolicyError::Rule { file: source.to_string(), line, problem: problem.to_owned() })
    };
    if written.cautious && written.decide != Decision::Allow {
        return wrong("`cautious` is valid only with `decide = \"allow\"`");
    }
    let only =
        |meant: &[Access]| !accesses.is_empty() && accesses.iter().all(|access| meant.contains(access));
    let named = [&written.paths, &written.commands, &written.hosts, &written.tools, &written.agents]
        .map(|names| !names.is_empty());
    let target = match named {
        [false, false, false, false, false] if !written.acts.is_empty() && only(&[Access::Editor]) => {
            Target::Acts(written.acts.iter().map(|act| act.word().to_owned()).collect())
        }
        _ if !written.acts.is_empty() => return wrong(MIXED),
        [true, false, false, false, false] if only(&[Access::Reads, Access::Writes]) => {
            paths(&written.paths, source)?
        }
        [false, true, false, false, false] if only(&[Access::Executes]) => {
            Target::Commands(commands(&written.commands, source)?)
        }
        [false, false, true, false, false] if only(&[Access::Fetches]) => Target::Hosts(written.hosts),
        [false, false, false, true, false] if only(&[Access::Bridges]) => Target::Tools(written.tools),
        [false, false, false, false, true] if only(&[Access::Delegates]) => Target::Agents(written.agents),
        [false, false, false, false, false] => {
            return wrong(
                "the rule has none of the keys `paths`, `commands`, `hosts`, `tools`, `agents` and `acts`",
            );
        }
        _ => return wrong(MIXED),
    };
    Ok(Rule {
        accesses,
        target,
        decision: written.decide,
        why: written.why,
        cautious: written.cautious,
        source: source.clone(),
        line,
    })
}

fn commands(patterns: &[String], source: &RuleSource) -> Result<Vec<Pattern>, PolicyError> {
    let read = |pattern: &String| {
        let read = match colons(pattern) {
            Some(problem) => Err(problem),
            None => Pattern::read(pattern).map_err(str::to_owned),
        };
        read.map_err(|problem| PolicyError::Pattern {
            file: source.to_string(),
            pattern: pattern.clone(),
            problem,
        })
    };
    patterns.iter().map(read).collect()
}

/// Returns the reason why a pattern with words joined by colons is invalid here: only `[lists]` accepts such
/// patterns. `None` for other patterns.
fn colons(pattern: &str) -> Option<String> {
    let program = pattern.split_whitespace().find(|word| !word.contains('='))?;
    let joined = program.contains(':') && program != ":" && !program.contains('/');
    joined.then(|| {
        format!(
            "no program is called `{program}`: write `{}` here, or `{pattern}` under `allow` or `deny` of `[lists]`",
            pattern.replacen(program, &program.replace(':', " "), 1)
        )
    })
}

fn paths(patterns: &[String], source: &RuleSource) -> Result<Target, PolicyError> {
    let (mut relative, mut absolute) = (Vec::new(), Vec::new());
    for pattern in patterns {
        let wrong = |error: globset::Error| PolicyError::Pattern {
            file: source.to_string(),
            pattern: pattern.clone(),
            problem: error.kind().to_string(),
        };
        for pattern in anywhere(pattern) {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(true).build();
            let set = if pattern.starts_with('/') { &mut absolute } else { &mut relative };
            set.push(glob.map_err(wrong)?);
        }
    }
    // A server starts faster if the built-in patterns are compiled only when the first path is judged.
    let build = |globs: Vec<Glob>| match source {
        RuleSource::BuiltIn => Ok(PathPatterns::unchecked(globs)),
        _ => PathPatterns::checked(globs)
            .map_err(|error| PolicyError::Shape { file: source.to_string(), problem: error.to_string() }),
    };
    let names = patterns.iter().filter_map(|pattern| plain_name(pattern)).map(str::to_owned).collect();
    Ok(Target::Paths { relative: build(relative)?, absolute: build(absolute)?, names })
}

/// Returns the name that a pattern matches at any depth, with everything below it if it is a directory; `None` for other
/// patterns.
///
/// The name may have several components, such as `.cargo/config.toml`, or be one component with `*`, such as
/// `*.code-workspace`.
fn plain_name(pattern: &str) -> Option<&str> {
    let at_any_depth = pattern.strip_prefix("**/");
    let name = at_any_depth.unwrap_or(pattern);
    let name = name.strip_suffix("/**").or_else(|| name.strip_suffix('/')).unwrap_or(name);
    let is_one = !name.contains('/');
    let says = name.chars().any(|letter| !matches!(letter, '*' | '/'));
    let is_plain = says && !name.contains(['?', '[', '{', '!', '\\']) && (is_one || !name.contains('*'));
    (is_plain && (at_any_depth.is_some() || is_one)).then_some(name)
}

impl WrittenAccess {
    fn meant(self) -> Access {
        match self {
            Self::Read => Access::Reads,
            Self::Write => Access::Writes,
            Self::Execute => Access::Executes,
            Self::Fetch => Access::Fetches,
            Self::Bridge => Access::Bridges,
            Self::Delegate => Access::Delegates,
            Self::Editor => Access::Editor,
        }
    }
}

impl WrittenAct {
    fn word(self) -> &'static str {
        match self {
            Self::Look => EditorUse::Look.word(),
            Self::Open => EditorUse::Open.word(),
            Self::Goto => EditorUse::Goto.word(),
            Self::Replace => EditorUse::Replace.word(),
            Self::Insert => EditorUse::Insert.word(),
            Self::Any => "*",
        }
    }
}

/// Expands a path pattern: a pattern without a slash matches the name at any depth, and a pattern that ends with a
/// slash also matches everything in the directory.
fn anywhere(pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let rooted = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    match rooted.strip_suffix('/') {
        Some(directory) if directory.contains('/') => vec![directory.to_owned(), format!("{directory}/**")],
        Some(directory) => vec![format!("**/{directory}"), format!("**/{directory}/**")],
        None => vec![rooted],
    }
}
