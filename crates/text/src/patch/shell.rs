//! Patches that are the input of a command in a shell.

/// A patch command among shell arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invocation<'a> {
    /// It calls for the patch to be applied.
    Explicit {
        /// The text of the patch.
        patch: &'a str,
        /// The directory that is entered before.
        directory: Option<&'a str>,
    },
    /// It is a patch without a command that applies it.
    Implicit {
        /// The text of the patch.
        patch: &'a str,
    },
    /// Something else.
    Other,
}

/// Looks for a patch in the arguments of a program: the command with the text, or a shell with a script that does nothing else.
#[must_use]
pub fn invocation<'a>(arguments: &[&'a str]) -> Invocation<'a> {
    match arguments {
        [command, patch] if applies(command) => Invocation::Explicit { patch, directory: None },
        [patch] if is_patch(patch) => Invocation::Implicit { patch },
        [shell, flags @ .., said] if runs_a_script(shell, flags) => match script(said) {
            Some(script) if script.command == Command::Apply && script.closed == Closed::Yes => {
                Invocation::Explicit { patch: script.patch, directory: script.directory }
            }
            _ if is_patch(said) => Invocation::Implicit { patch: said },
            _ => Invocation::Other,
        },
        _ => Invocation::Other,
    }
}

/// A script that feeds a patch to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script<'a> {
    pub(super) directory: Option<&'a str>,
    pub(super) command: Command,
    pub(super) patch: &'a str,
    pub(super) closed: Closed,
}

/// The command that takes the patch as input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Apply,
    Cat,
    Nothing,
}

/// The presence of the line that ends the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closed {
    Yes,
    No,
}

/// Reads `[cd DIRECTORY &&] [COMMAND] <<'END'`, the patch, `END`, and nothing behind it.
pub(super) fn script(said: &str) -> Option<Script<'_>> {
    let mut rest = said.trim_start();
    let mut directory = None;
    if let Some(after) = rest.strip_prefix("cd").filter(|after| after.starts_with([' ', '\t'])) {
        let (word, after) = word(after.trim_start())?;
        directory = Some(word);
        rest = after.trim_start().strip_prefix("&&")?.trim_start();
    }
    let name = rest.split([' ', '\t', '<']).next().unwrap_or_default();
    let command = match name {
        "" => Command::Nothing,
        "cat" => Command::Cat,
        name if applies(name) => Command::Apply,
        _ => return None,
    };
    let after = rest[name.len()..].trim_start_matches([' ', '\t']).strip_prefix("<<")?;
    let (line, body) = after.split_once('\n')?;
    let end = tag(line.strip_prefix('-').unwrap_or(line).trim())?;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim() == end {
            let nothing_behind = body[at + line.len()..].trim().is_empty();
            return nothing_behind.then_some(Script {
                directory,
                command,
                patch: &body[..at],
                closed: Closed::Yes,
            });
        }
        at += line.len();
    }
    Some(Script { directory, command, patch: body, closed: Closed::No })
}

/// Reads `bash -lc '…'` as one text, including quotes in it.
pub(super) fn quoted_script(said: &str) -> Option<&str> {
    let (shell, rest) = said.trim_start().split_once([' ', '\t'])?;
    let (flag, rest) = rest.trim_start().split_once([' ', '\t', '\n'])?;
    if !runs_a_script(shell, &[flag]) {
        return None;
    }
    let rest = rest.trim();
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    rest.strip_prefix(quote)?.strip_suffix(quote)
}

/// Takes a word from the front, with or without quotes.
fn word(said: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(inside) = said.strip_prefix(quote) {
            return inside.split_once(quote);
        }
    }
    let end = said.find(|c: char| c.is_whitespace() || ";&|<>()$`'\"\\".contains(c))?;
    (end > 0).then(|| said.split_at(end))
}

/// Returns the delimiter of a here-document, without its quotes.
fn tag(said: &str) -> Option<&str> {
    let bare = ['\'', '"'].into_iter().find_map(|quote| said.strip_prefix(quote)?.strip_suffix(quote));
    let bare = bare.unwrap_or(said);
    let plain = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    plain.then_some(bare)
}

/// Returns whether a command applies a patch; its name may have a dash or an underscore.
fn applies(command: &str) -> bool {
    command.replace('_', "") == "applypatch"
}

fn runs_a_script(shell: &str, flags: &[&str]) -> bool {
    let name = shell.rsplit(['/', '\\']).next().unwrap_or(shell).to_ascii_lowercase();
    match name.strip_suffix(".exe").unwrap_or(&name) {
        "bash" | "sh" | "zsh" => matches!(flags, ["-lc" | "-c" | "-cl"]),
        "powershell" | "pwsh" => {
            matches!(flags, [first @ .., last]
                if last.eq_ignore_ascii_case("-command")
                    && first.iter().all(|flag| flag.eq_ignore_ascii_case("-noprofile")))
        }
        "cmd" => matches!(flags, [flag] if flag.eq_ignore_ascii_case("/c")),
        _ => false,
    }
}

fn is_patch(said: &str) -> bool {
    super::envelope::is_envelope(said)
}
