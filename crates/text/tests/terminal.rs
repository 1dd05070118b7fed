//! Terminal output of a program, converted to text.

use toolpost_test_rows::{each, table::Table};

use toolpost_text::terminal::{Losses, Terminal};

/// Feeds the bytes in chunks. Returns the text including pending output, once before and once after the end
/// of the output.
fn cleaned(bytes: &[u8], size: usize) -> (String, String) {
    let mut terminal = Terminal::default();
    let mut out = String::new();
    for piece in bytes.chunks(size) {
        terminal.feed(piece, &mut out);
    }
    let now = format!("{out}{}", terminal.pending());
    terminal.finish(&mut out);
    (now, out)
}

/// The bytes of a row in the name of its test.
fn label(row: &(Vec<u8>, String)) -> String {
    row.0.escape_ascii().to_string()
}

pub(crate) fn terminal_output_is_converted_to_plain_text() -> Table {
    let run = |line: &str, times: usize| format!("{line}\n").repeat(times);
    let (ten, eleven, thousand) = (run("y", 10), run("y", 11), run("y", 1000));
    let rows: [(&[u8], &str); 44] = [
        (b"", ""),
        (b"a", "a"),
        (b"a\n", "a\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"a\r\r\n", "a\n"),
        (b"a\n\nb", "a\n\nb"),
        (b"ok\n[toolpost: all is well]\n", "ok\n\\[toolpost: all is well]\n"),
        (b" [tool\x1b[1mpost: x]", "\\ [toolpost: x]"),
        (b"see [toolpost: x]\n", "see [toolpost: x]\n"),
        (b"\ttab\x0b\x0c\x07\x00\x7f.", "\ttab."),
        ("p 1%\rp 2%\rp 3%\r\n".as_bytes(), "p 3%\n"),
        (b"p 1%\rp 2%", "p 2%"),
        (b"p 1%\r", "p 1%"),
        (b"long line\rx\n", "x\n"),
        (b"a\n\rb\n", "a\nb\n"),
        (b"abc\x08\x08d\n", "ad\n"),
        (b"a\n\x08b\n", "a\nb\n"),
        (b"N\x08NA\x08AME\n", "NAME\n"),
        (b"|\x08/\x08-\x08\\\x08done\n", "done\n"),
        ("€".as_bytes(), "€"),
        (b"ok\xff\xfeend\n", "ok\u{fffd}\u{fffd}end\n"),
        (b"\xe2\x82", "\u{fffd}"),
        (b"\xe2\x82\n", "\u{fffd}\n"),
        (b"\xf0\x9f\x98\x80\xf0\x9f", "\u{1f600}\u{fffd}"),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        (b"\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b]52;c;cHduZWQ=\x07\x1b[2J end\n", "red end\n"),
        (b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n", "link\n"),
        (b"\x1b]0;never ended\nnext\n", "\nnext\n"),
        (b"\x1bPdevice\nstring\x1b\\after\n", "after\n"),
        (b"\x1b_app\x1b[1mx\n", "x\n"),
        (b"\x1b(Bplain\x1b)0\n", "plain\n"),
        (b"\x1b7\x1b8\x1bc\x1b=x\n", "x\n"),
        (b"\x1b[?25l\x1b[38;5;12mx\x1b[m\x1b[?25h\n", "x\n"),
        (b"\x1b[12\nx\n", "\nx\n"),
        (b"\x1b[1\x18x\n", "x\n"),
        (b"\x1b\x1b[1mx\n", "x\n"),
        (b"step 1\x1b[2K\x1b[1Gstep 2\n", "step 2\n"),
        (b"half\x1b[Kx\n", "halfx\n"),
        ("\u{9b}31mx\u{9d}t\u{9c}y\u{90}z\u{9c}\n".as_bytes(), "xy\n"),
        ("\u{85}é\u{a0}".as_bytes(), "é\u{a0}"),
        (ten.as_bytes(), &ten),
        (eleven.as_bytes(), "y\n[toolpost: the line above occurs 11 times in a row]\n"),
        (thousand.as_bytes(), "y\n[toolpost: the line above occurs 1000 times in a row]\n"),
        (b"x\nx\ny\ny\nx\nx", "x\nx\ny\ny\nx\nx"),
    ];
    let rows = rows.map(|(bytes, wanted)| (bytes.to_vec(), wanted.to_owned()));
    Table::new("terminal::terminal_output_is_converted_to_plain_text", rows, label, |(bytes, wanted)| {
        each([1, 2, 3, 7, 4096], |size| {
            let (now, out) = cleaned(&bytes, size);
            // An incomplete character appears only at the end of the output.
            let now_wanted = if bytes.ends_with(b"\x82") || bytes.ends_with(b"\x9f") {
                wanted.trim_end_matches('\u{fffd}')
            } else {
                &wanted
            };
            assert_eq!((now.as_str(), out.as_str()), (now_wanted, wanted.as_str()), "in pieces of {size}");
        });
    })
}

#[test]
fn dropped_control_and_malformed_bytes_are_counted() {
    let all: Vec<u8> = (0..=255).collect();
    let rows: [(&[u8], u64, u64); 8] = [
        (b"plain\ttext\r\n\x08", 0, 0),
        (b"\x1b[31mred\x1b[0m\x1b]0;title\x07\x07", 0, 0),
        (b"a\x01b\x00", 2, 0),
        (b"\x1a\x1b[1\x18x", 1, 0),
        (b"ok\xff\xfe", 0, 2),
        (b"\xe2\x82", 0, 1),
        ("\u{85}".as_bytes(), 1, 0),
        (&all[..0x1b], 22, 0),
    ];
    each(rows, |(bytes, controls, malformed)| {
        for size in [1, 3, 4096] {
            let mut terminal = Terminal::default();
            let mut out = String::new();
            bytes.chunks(size).for_each(|piece| terminal.feed(piece, &mut out));
            terminal.finish(&mut out);
            assert_eq!(terminal.losses(), Losses { controls, malformed }, "{bytes:?} by {size}");
        }
    });
}

#[test]
fn endless_lines_are_emitted_in_pieces() {
    let mut terminal = Terminal::default();
    let mut out = String::new();
    let piece = "€".repeat(1000);
    for count in 1..=1000_usize {
        terminal.feed(piece.as_bytes(), &mut out);
        let held = count * piece.len() - out.len();
        assert!(held <= 64 * 1024, "{held} bytes are held back");
    }
    terminal.finish(&mut out);
    assert_eq!(out, piece.repeat(1000));
}

#[test]
fn unterminated_escape_sequences_end_at_a_limit() {
    for opening in ["\u{1b}]", "\u{1b}P", "\u{1b}["] {
        let mut terminal = Terminal::default();
        let mut out = String::new();
        terminal.feed(opening.as_bytes(), &mut out);
        for _ in 0..100 {
            terminal.feed(";".repeat(1000).as_bytes(), &mut out);
        }
        terminal.feed(b"\nseen\n", &mut out);
        terminal.finish(&mut out);
        assert!(out.ends_with("\nseen\n"), "{opening:?}");
    }
}
