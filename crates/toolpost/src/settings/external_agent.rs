//! Settings of the external agent: command, permissions and environment.

use super::sources::{Setting, Sources};
use crate::settings::flags::ExternalAgentFlags;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use toolpost_agent::acp::May;

/// Value that disables the external agent.
pub const NOBODY: &str = "none";

/// Keys `acp`, `acp_may` and `acp_env` of `[agent]`.
type File = (Option<Vec<String>>, Option<String>, Option<Vec<String>>);

/// Settings of the external agent.
pub struct ExternalAgentSettings {
    /// Program and arguments.
    pub command: Setting<Option<Vec<String>>>,
    may: Setting<May>,
    /// Names of the environment variables that it inherits.
    pub variables: Setting<Vec<String>>,
}

impl ExternalAgentSettings {
    /// Reads the settings. A workspace cannot set them, since they start a program.
    pub fn find(flags: &ExternalAgentFlags, from: &Sources, file: File) -> Result<Self> {
        let (filed, filed_may, variables) = file;
        let flag = flags.acp.as_deref().map(words).transpose().context("--acp")?;
        let mut command = from.optional(flag, "ACP", words, filed)?;
        command.value = command.value.filter(|words| !words.is_empty() && words != &[NOBODY]);
        let said = flags.acp_may.as_deref().map(may).transpose()?;
        let filed_may = filed_may.as_deref().map(may).transpose()?;
        let names = |text: &str| Ok(text.split(',').map(|name| name.trim().to_owned()).collect());
        Ok(Self {
            command,
            may: from.choose(said, "ACP_MAY", may, filed_may, May::Read)?,
            variables: from.choose(None, "ACP_ENV", names, variables, Vec::new())?,
        })
    }

    /// Restores the agent of an earlier run.
    pub fn resume(&mut self, command: Vec<String>, allowed: Option<&str>) -> Result<()> {
        self.command.resume(Some(command));
        if let Some(word) = allowed {
            self.may.resume(may(word)?);
        }
        Ok(())
    }

    /// Returns its permissions.
    pub fn may(&self) -> May {
        self.may.value
    }

    /// Lists the settings with their values and origins.
    pub fn in_force(&self) -> Vec<String> {
        let command = self.command.value.as_ref().map_or(NOBODY.to_owned(), |words| words.join(" "));
        let variables = &self.variables.value;
        let variables = if variables.is_empty() { NOBODY.to_owned() } else { variables.join(", ") };
        vec![
            format!("agent.acp = {} ({})", toolpost_text::redact::redact(&command), self.command.origin),
            format!("agent.acp_may = {} ({})", self.may.value.word(), self.may.origin),
            format!("agent.acp_env = {variables} ({})", self.variables.origin),
        ]
    }
}

fn may(text: &str) -> Result<May> {
    let words: Vec<&str> = May::ALL.iter().map(|may| may.word()).collect();
    let found = May::ALL.into_iter().find(|may| may.word() == text);
    found.with_context(|| format!("unknown permission `{text}`; the permissions are {}", words.join(", ")))
}

/// Splits a command at blanks. Quotes and backslashes work as in a shell; nothing is expanded.
fn words(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => bail!("unclosed {letter}"),
                        Some(other) if other == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(other) => write!(word, "{other}")?,
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_parted_as_a_shell_does() {
        let rows: [(&str, &[&str]); 6] = [
            ("opencode acp", &["opencode", "acp"]),
            ("  a  'b c' \"d \\\" e\" ", &["a", "b c", "d \" e"]),
            ("a\\ b ''", &["a b", ""]),
            ("x'y'z", &["xyz"]),
            ("echo $HOME *", &["echo", "$HOME", "*"]),
            ("", &[]),
        ];
        for (text, wanted) in rows {
            assert_eq!(words(text).unwrap(), wanted, "{text}");
        }
        assert_eq!(words("a 'b").unwrap_err().to_string(), "unclosed '");
    }
}
