//! Recognition of sed and awk scripts that neither run programs nor access files.

/// Returns whether a sed script certainly only prints, deletes and substitutes lines.
pub(crate) fn sed_only_prints(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = sed_command(rest) else { return false };
        if !after.is_empty() && !after.starts_with([' ', '\t', '\n', ';', '}']) {
            return false;
        }
        rest = after;
    }
}

/// Skips one sed command with its addresses, and returns the text after it; `None` if the command is not
/// known to be harmless.
fn sed_command(text: &str) -> Option<&str> {
    let mut rest = sed_address(text)?;
    if let Some(after) = rest.strip_prefix(',') {
        rest = sed_address(after.trim_start())?;
    }
    rest = rest.trim_start_matches([' ', '!']);
    let command = rest.chars().next()?;
    let after = &rest[command.len_utf8()..];
    match command {
        'p' | 'd' | 'P' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'l' | '{' | '}' => {
            Some(after)
        }
        'q' | 'Q' => Some(after.trim_start_matches(|found: char| found.is_ascii_digit() || found == ' ')),
        's' | 'y' => {
            let mark =
                after.chars().next().filter(|mark| !mark.is_alphanumeric() && !"\\\n ;".contains(*mark))?;
            let pattern = sed_part(&after[mark.len_utf8()..], mark)?;
            let replaced = sed_part(pattern, mark)?;
            let flags =
                replaced.trim_start_matches(|flag: char| flag.is_ascii_digit() || "gpiI".contains(flag));
            Some(flags)
        }
        _ => None,
    }
}

fn sed_address(text: &str) -> Option<&str> {
    let numbers = |text: &'_ str| {
        text.len() - text.trim_start_matches(|found: char| "0123456789~+$".contains(found)).len()
    };
    match text.chars().next()? {
        '/' => {
            let after = sed_part(&text[1..], '/')?;
            Some(after.trim_start_matches('I'))
        }
        '0'..='9' | '$' | '+' | '~' => Some(&text[numbers(text)..]),
        '\\' => None,
        _ => Some(text),
    }
}

/// Returns the text after the next delimiter that is outside brackets and has no backslash before it; `None`
/// without one, or if a delimiter is inside brackets before it.
fn sed_part(text: &str, mark: char) -> Option<&str> {
    let mut held = false;
    for (at, found) in text.char_indices() {
        match found {
            _ if held => held = false,
            '\\' => held = true,
            // It is unclear whether sed counts a delimiter inside brackets, so such a script is not accepted
            // as harmless.
            '[' if bracket(&text[at..]).contains(mark) => return None,
            _ if found == mark => return Some(&text[at + found.len_utf8()..]),
            _ => {}
        }
    }
    None
}

/// Returns the longest possible bracket expression at the beginning of a text. A leading `]` belongs to the
/// expression.
fn bracket(text: &str) -> &str {
    let inside = text.trim_start_matches(['[', '^', ']']);
    let begins = text.len() - inside.len();
    inside.find(']').map_or(text, |end| &text[..begins + end])
}

/// Returns whether an awk script certainly runs no programs, and reads and writes no files.
pub(crate) fn awk_only_prints(script: &str) -> bool {
    let words =
        ["system", "getline", "close", "fflush", "include", "load", "ENVIRON", "PROCINFO", "ARGV", "ARGC"];
    !script.contains(['|', '>', '<', '@', '`']) && !words.iter().any(|word| script.contains(word))
}
