//! Recognition of shell commands that pass a patch to `apply_patch`.

/// A patch in the arguments of a shell command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invocation<'a> {
    /// The command applies the patch.
    Explicit {
        /// The text of the patch.
        patch: &'a str,
        /// The directory that a `cd` command before the patch enters.
        directory: Option<&'a str>,
    },
    /// The arguments are a patch, without a command that applies it.
    Implicit {
        /// The text of the patch.
        patch: &'a str,
    },
    /// The arguments contain no patch, or do more than apply one.
    Other,
}

/// Finds a patch in the arguments of a command: in those of `apply_patch`, in a shell script that does nothing but
/// apply a patch, or in place of a command or script.
#[must_use]
pub fn invocation<'a>(arguments: &[&'a str]) -> Invocation<'a> {
    match arguments {
        [command, patch] if applies(command) => Invocation::Explicit { patch, directory: None },
        [patch] if is_patch(patch) => Invocation::Implicit { patch },
        [shell, flags @ .., text] if runs_a_script(shell, flags) => match script(text) {
            Some(script) if script.command == Command::Apply && script.closed == HeredocEnd::Present => {
                Invocation::Explicit { patch: script.patch, directory: script.directory }
            }
            _ if is_patch(text) => Invocation::Implicit { patch: text },
            _ => Invocation::Other,
        },
        _ => Invocation::Other,
    }
}

/// A shell script that passes a patch to a command as a here-document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script<'a> {
    pub(super) directory: Option<&'a str>,
    pub(super) command: Command,
    pub(super) patch: &'a str,
    pub(super) closed: HeredocEnd,
}

/// The command that gets the patch as input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Apply,
    Cat,
    Nothing,
}

/// Presence of the line that ends the here-document with the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeredocEnd {
    Present,
    Missing,
}

/// Parses a script of the form `[cd DIRECTORY &&] [COMMAND] <<'END'`, then the patch, then `END`, which may
/// be missing; `None` for any other text.
pub(super) fn script(text: &str) -> Option<Script<'_>> {
    let mut rest = text.trim_start();
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
                closed: HeredocEnd::Present,
            });
        }
        at += line.len();
    }
    Some(Script { directory, command, patch: body, closed: HeredocEnd::Missing })
}

/// Returns the script of a command such as `bash -lc '…'` that is given as one text; quotes inside the script
/// stay.
pub(super) fn quoted_script(text: &str) -> Option<&str> {
    let (shell, rest) = text.trim_start().split_once([' ', '\t'])?;
    let (flag, rest) = rest.trim_start().split_once([' ', '\t', '\n'])?;
    if !runs_a_script(shell, &[flag]) {
        return None;
    }
    let rest = rest.trim();
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    rest.strip_prefix(quote)?.strip_suffix(quote)
}

/// Splits a text into its first word, which may be in quotes, and the rest.
fn word(text: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote);
        }
    }
    let end = text.find(|c: char| c.is_whitespace() || ";&|<>()$`'\"\\".contains(c))?;
    (end > 0).then(|| text.split_at(end))
}

/// Returns the delimiter of a here-document, without its quotes.
fn tag(text: &str) -> Option<&str> {
    let bare = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let bare = bare.unwrap_or(text);
    let plain = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    plain.then_some(bare)
}

/// Returns whether a command applies a patch: `apply_patch` or `applypatch`.
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

fn is_patch(text: &str) -> bool {
    super::envelope::is_envelope(text)
}
