//! The file to which a shell command redirects its standard output.

/// Returns the file that receives the standard output of a shell command, spelled as in the command; `None` if there is
/// none, if its name has special characters, or if the last command has syntax that this function does not parse.
///
/// Only the last command of a line counts, because it is the one that keeps running.
pub(super) fn stdout_file(line: &str) -> Option<&str> {
    let mut words = last(line)?.split_whitespace();
    let mut found = None;
    while let Some(word) = words.next() {
        let Some((before, after)) = word.split_once('>') else { continue };
        let to = after.trim_start_matches(['>', '|', '&']);
        let of_stdout = matches!(before, "" | "1" | "&");
        let to = if to.is_empty() { words.next()? } else { to };
        let is_descriptor =
            after.starts_with('&') && to.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if of_stdout {
            found = (!is_descriptor).then_some(to);
        } else if before != "2" {
            return None;
        }
    }
    found.filter(|file| file.chars().all(is_plain))
}

/// Returns the last command of a line; `None` if it begins inside quotes, or contains quotes, backslashes, backquotes,
/// `<`, `#` or an unclosed group.
fn last(line: &str) -> Option<&str> {
    let line = line.trim_end_matches(|letter: char| letter.is_whitespace() || ";&".contains(letter));
    let bytes = line.as_bytes();
    let at = |place: usize| bytes.get(place).copied();
    let ends = |(place, byte): (usize, &u8)| match byte {
        b';' | b'\n' => true,
        b'|' => place == 0 || at(place - 1) != Some(b'>'),
        b'&' => (place == 0 || at(place - 1) != Some(b'>')) && at(place + 1) != Some(b'>'),
        _ => false,
    };
    let start = bytes.iter().enumerate().rposition(ends).map_or(0, |place| place + 1);
    if ends_in_quotes(line.get(..start)?) {
        return None;
    }
    let piece = line.get(start..)?;
    // The output of a group such as `(a; b) > f` is redirected after its closing bracket, so only the text from there
    // on counts.
    let piece = match piece.rfind([')', '}']) {
        Some(end) => piece.get(end + 1..)?,
        None if piece.contains(['(', '{']) => return None,
        None => piece,
    };
    (!piece.contains(['\'', '"', '`', '\\', '<', '#'])).then_some(piece)
}

/// Returns true if the text ends inside quotes.
fn ends_in_quotes(text: &str) -> bool {
    let mut open = None;
    for letter in text.chars().filter(|letter| "'\"".contains(*letter)) {
        open = match open {
            None => Some(letter),
            Some(quote) if quote == letter => None,
            still => still,
        };
    }
    open.is_some()
}

/// Returns true for a character that a shell takes literally, and that cannot end the backquoted path in a reply.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/._-+,=@%".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::stdout_file;
    use toolpost_test_rows::each;

    #[test]
    fn the_file_of_the_standard_output_is_found() {
        let rows = [
            ("python3 -m http.server 8766 > ../srv.log 2>&1", Some("../srv.log")),
            ("serve >log", Some("log")),
            ("serve >> a/b.log &", Some("a/b.log")),
            ("cd x && serve &> log", Some("log")),
            ("serve >& log", Some("log")),
            ("serve >| log", Some("log")),
            ("serve 1>log 2>err", Some("log")),
            ("serve 2>err >log", Some("log")),
            ("(cd x; serve) > log", Some("log")),
            ("echo 'a > b'; serve > log", Some("log")),
            ("serve > a > b", Some("b")),
            ("serve >/dev/null 2>&1 &", Some("/dev/null")),
            ("serve", None),
            ("serve 2>err", None),
            ("serve 2>&1", None),
            ("serve > log >&2", None),
            ("serve > a | tee b", None),
            ("serve > a; other", None),
            ("serve > \"$LOG\"", None),
            ("serve > $LOG", None),
            ("serve > a*", None),
            ("echo 'x; y > z'", None),
            ("(serve > log)", None),
            ("serve >", None),
            ("", None),
        ];
        each(rows, |(line, wanted)| assert_eq!(stdout_file(line), wanted, "{line}"));
    }
}
