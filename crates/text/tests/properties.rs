//! Properties of every text.

use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_text::budget::{ByteBudget, fair};
use toolpost_text::cut::{self, Limit};
use toolpost_text::encoding::{Eol, Splice, Text};
use toolpost_text::hashline::{self, Reference, Relocation};
use toolpost_text::line_edit::{self, EditPosition};
use toolpost_text::lines::{LineIndex, LineRange};
use toolpost_text::matching::{MatchOptions, Matches, Miss, Step, find};
use toolpost_text::window::{self, Facts, Line, LineSelection, Window, WindowContent};
use toolpost_text::{diff, escape, guard, lines, merge, names};

/// A text of few different letters, so that lines repeat, with both kinds of line break and characters of
/// every width.
fn prose() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "ab", "  ", "\t", "\n", "\r\n", "\n", "é", "\u{2019}", "'", "世", "🌍", "}", "foo();",
        "    ", "\r", "\u{A0}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn stored() -> impl Strategy<Value = Vec<u8>> {
    (prose(), 0..8_u8, prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(text, kind, noise)| match kind {
        0 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        1 => [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
        2 => [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
        3 => [0xFF, 0xFE, 0, 0]
            .into_iter()
            .chain(text.chars().flat_map(|c| u32::from(c).to_le_bytes()))
            .collect(),
        4 => encoding_rs::SHIFT_JIS.encode(&text).0.into_owned(),
        5 => [text.as_bytes(), &noise].concat(),
        6 => encoding_rs::WINDOWS_1252.encode(&text).0.into_owned(),
        _ => text.into_bytes(),
    })
}

fn charset() -> impl Strategy<Value = Option<&'static encoding_rs::Encoding>> {
    prop::sample::select(vec![
        None,
        Some(encoding_rs::SHIFT_JIS),
        Some(encoding_rs::GBK),
        Some(encoding_rs::WINDOWS_1252),
    ])
}

/// Lines of words that begin with a letter, some indented, and blank lines between them.
fn words(letter: char) -> impl Strategy<Value = Vec<String>> {
    let line = (0..3_usize, "[a-z]{1,6}", prop::option::of("[a-z]{1,6}"), 0..6_u8);
    prop::collection::vec(line, 1..41).prop_map(move |lines| {
        let text = |(depth, word, more, kind): (usize, String, Option<String>, u8)| {
            let more = more.map(|more| format!(" {letter}{more}")).unwrap_or_default();
            let bullet = if kind == 0 { "- " } else { "" };
            let line = format!("{}{bullet}{letter}{word}{more}", "  ".repeat(depth));
            if kind == 1 { format!("\n{line}") } else { line }
        };
        lines.into_iter().map(text).collect()
    })
}

/// Lines without words before and after a text.
const FRAMES: [(&str, &str); 4] = [("", ""), ("{\n", "\n}"), ("---\n", ""), ("\n\n", "\n")];

/// Picks a part of a text by two fractions.
fn part(text: &str, a: f64, b: f64) -> Range<usize> {
    let at = |share: f64| text.floor_char_boundary((text.len() as f64 * share) as usize);
    at(a.min(b))..at(a.max(b))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/properties.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn budget_ends_a_list_at_the_first_entry_that_does_not_fit(
        sizes in prop::collection::vec(1_usize..50, 0..20),
        bytes in 0_usize..400,
    ) {
        let mut budget = ByteBudget::new(bytes);
        let kept = budget.count(sizes.iter().copied());
        let used: usize = sizes[..kept].iter().sum();
        prop_assert!(used <= bytes);
        match sizes.get(kept) {
            Some(next) => {
                prop_assert!(used + next > bytes);
                prop_assert_eq!((budget.left(), budget.takes(1)), (0, false));
            }
            None => prop_assert_eq!(budget.left(), bytes - used),
        }
    }

    #[test]
    fn fair_limit_is_the_largest_that_fits_the_total(
        sizes in prop::collection::vec(0_usize..50, 1..20),
        room in 0_usize..400,
    ) {
        let limit = fair(sizes.clone(), room);
        let used = |limit: usize| sizes.iter().map(|size| *size.min(&limit)).sum::<usize>();
        prop_assert!(used(limit) <= room);
        prop_assert!(limit == usize::MAX || used(limit + 1) > room);
    }

    #[test]
    fn splice_preserves_all_other_bytes(bytes in stored(), charset in charset(), a in 0.0..1.0, b in 0.0..1.0, c in 0.0..1.0, new in prose()) {
        let Ok(text) = Text::open(bytes.clone(), charset) else { return Ok(()) };
        prop_assert_eq!(text.bytes(), &bytes);
        let view = text.view();
        let first = part(view, a, b);
        let start = view.floor_char_boundary(first.end + ((view.len() - first.end) as f64 * c) as usize).max(first.end);
        let second = start..view.len();
        let splices = [
            Splice { range: first.clone(), new: new.clone() },
            Splice { range: second.clone(), new: "x\n".into() },
        ];
        let raw = |range: &Range<usize>| text.raw(range.start).unwrap()..text.raw(range.end).unwrap();
        if let Ok(out) = text.splice(&splices) {
            let (one, two) = (raw(&first), raw(&second));
            let between = &bytes[one.end..two.start];
            prop_assert!(out.starts_with(&bytes[..one.start]));
            prop_assert!(between.is_empty() || out[one.start..].windows(between.len()).any(|part| part == between));
            prop_assert!(out.ends_with(&bytes[two.end..]));
        }
        prop_assert_eq!(text.splice(&[]).unwrap(), bytes.clone());
        let same = [Splice { range: first.clone(), new: view[first].to_owned() }];
        prop_assert_eq!(text.splice(&same).unwrap(), bytes);
    }

    #[test]
    fn undoing_a_splice_restores_the_bytes(body in "[abé\n]{0,40}", crlf in any::<bool>(), a in 0.0..1.0, b in 0.0..1.0, new in "[xyü\n]{0,10}") {
        let stored = if crlf { body.replace('\n', "\r\n") } else { body };
        let text = Text::open(stored.clone().into_bytes(), None).unwrap();
        let range = part(text.view(), a, b);
        let old = text.view()[range.clone()].to_owned();
        let changed = Text::open(text.splice(&[Splice { range: range.clone(), new: new.clone() }]).unwrap(), None).unwrap();
        prop_assert_eq!(changed.view(), format!("{}{new}{}", &text.view()[..range.start], &text.view()[range.end..]));
        // Without any line break in the text, the kind of line break is unknown.
        if changed.eol() == text.eol() || text.eol() == Eol::Lf {
            let back = changed.splice(&[Splice { range: range.start..range.start + new.len(), new: old }]).unwrap();
            prop_assert_eq!(back, stored.into_bytes());
        }
    }

    #[test]
    fn line_edits_preserve_other_lines_and_can_be_undone(
        body in "([ab}] ?\n){0,6}[ab]{0,2}", crlf in any::<bool>(), bom in any::<bool>(),
        a in 0.0..1.0, b in 0.0..1.0, side in 0..3_u8, new in "[xyz \n]{0,12}",
    ) {
        let mark = if bom { "\u{FEFF}" } else { "" };
        let stored = mark.to_owned() + &if crlf { body.replace('\n', "\r\n") } else { body };
        let text = Text::open(stored.clone().into_bytes(), None).unwrap();
        let count = lines::count(text.view());
        let nth = |share: f64| ((count as f64 * share) as usize + 1).min(count.max(1));
        let lines = LineRange { first: nth(f64::min(a, b)), last: nth(f64::max(a, b)) };
        let side = [EditPosition::Replace, EditPosition::Before, EditPosition::After][usize::from(side)];
        let Ok(edited) = line_edit::edit(text.view(), lines, side, &new) else { return Ok(()) };
        prop_assert_eq!(&edited.corrections, &[], "the file contains none of the new lines");
        let out = text.splice(std::slice::from_ref(&edited.splice)).unwrap();
        let changed = Text::open(out.clone(), None).unwrap();
        let index = LineIndex::new(text.view());
        let (before, behind) = match side {
            EditPosition::Replace => (lines.first - 1, lines.last),
            EditPosition::Before => (lines.first - 1, lines.first - 1),
            EditPosition::After => (lines.last.min(count), lines.last.min(count)),
        };
        // All other lines keep their bytes; only the line break of the last line may be added or removed.
        let head = index.start(before + 1).unwrap_or(text.view().len());
        let head = text.raw(text.view()[..head].trim_end_matches('\n').len()).unwrap();
        prop_assert_eq!(&out[..head], &text.bytes()[..head]);
        let tail = index.start(behind + 1).map_or(stored.len(), |at| text.raw(at).unwrap());
        prop_assert!(out.ends_with(&text.bytes()[tail..]));
        let kept: Vec<&str> = text.view().lines().collect();
        let now: Vec<&str> = changed.view().lines().collect();
        let wanted: Vec<&str> = kept[..before.min(kept.len())].iter().copied()
            .chain(new.lines()).chain(kept[behind.min(kept.len())..].iter().copied()).collect();
        prop_assert_eq!(&now, &wanted);
        prop_assert_eq!(edited.lines, new.lines().count());
        let undone = Splice { range: edited.splice.range.start..edited.splice.range.start + edited.splice.new.len(), new: text.view()[edited.splice.range].to_owned() };
        let back = changed.splice(&[undone]).unwrap();
        // Without any line break in the text, the kind of line break is unknown.
        if changed.eol() == text.eol() || text.eol() == Eol::Lf {
            prop_assert_eq!(back, stored.into_bytes());
        }
    }

    #[test]
    fn relocated_lines_have_unchanged_text(old in "([abc]\n){0,8}", new in "([abc]\n){0,8}", first in 1_usize..9, more in 0_usize..3) {
        let range = LineRange { first, last: first + more };
        if let Relocation::To(now) = hashline::moved(&old, &new, range) {
            let part = |text: &str, range: LineRange| -> String { text[LineIndex::new(text).span(range).unwrap()].to_owned() };
            prop_assert_eq!(part(&new, now), part(&old, range));
        }
        if range.last <= lines::count(&old) {
            let same = hashline::moved(&old, &old, range);
            prop_assert!(same == Relocation::To(range) || same == Relocation::Unclear, "{:?}", same);
        }
    }

    #[test]
    fn line_references_round_trip_and_fit_their_line(number in 1_usize..1_000_000, line in "\\PC{0,12}", spaces in "[ \t\u{A0}]{0,3}") {
        let reference = Reference::of(number, &line);
        prop_assert_eq!(reference.to_string().parse::<Reference>(), Ok(reference));
        let spaced = [spaces.as_str(), &line, &spaces].concat();
        prop_assert!(reference.fits(&spaced));
        let shown = hashline::referred(number, &line);
        prop_assert_eq!(shown.parse::<Reference>(), Ok(reference));
        let found = hashline::unreferred(&shown).unwrap();
        prop_assert_eq!((found.reference, found.text), (reference, line.as_str()));
    }

    #[test]
    fn view_offsets_map_monotonically_to_file_offsets(bytes in stored(), charset in charset()) {
        let Ok(text) = Text::open(bytes.clone(), charset) else { return Ok(()) };
        let view = text.view();
        let mut last = None;
        for offset in (0..=view.len()).filter(|&offset| view.is_char_boundary(offset)) {
            let raw = text.raw(offset).unwrap();
            prop_assert!(last < Some(raw));
            last = Some(raw);
        }
        prop_assert_eq!((text.raw(0), last), (Some(text.bom()), Some(bytes.len())));
        prop_assert_eq!(text.raw(view.len() + 1), None);
    }

    #[test]
    fn exact_matching_agrees_with_a_naive_search(view in prose(), a in 0.0..1.0, b in 0.0..1.0, new in prose()) {
        let view = lines::lf(&view).into_owned();
        let old = view[part(&view, a, b)].to_owned();
        let (folded_old, folded_new) = (lines::lf(&old), lines::lf(&new));
        let naive: Vec<Range<usize>> = view.match_indices(&*folded_old).map(|(at, hit)| at..at + hit.len()).collect();
        let found = find(&view, &old, &new, &MatchOptions::every(Step::Exact));
        if folded_old == folded_new {
            prop_assert_eq!(found, Err(Miss::Same));
        } else if old.is_empty() {
            prop_assert_eq!(found.is_ok(), view.is_empty());
        } else if naive.is_empty() {
            prop_assert!(matches!(found, Err(Miss::Absent { .. })), "{:?}", found);
        } else {
            let found = found.unwrap();
            let ranges: Vec<Range<usize>> = found.hits.iter().map(|hit| hit.range.clone()).collect();
            prop_assert_eq!(ranges, naive.clone());
            let one = find(&view, &old, &new, &MatchOptions::one(Step::Spaced));
            let overlaps = view.char_indices().filter(|&(at, _)| view[at..].starts_with(&*folded_old)).count();
            prop_assert_eq!(one.is_ok(), overlaps == 1, "{:?}", one);
        }
    }

    #[test]
    fn inexact_matching_hits_whole_characters_in_order(view in prose(), old in prose(), new in prose(), every in any::<bool>()) {
        let how = if every { MatchOptions::every(Step::Spaced) } else { MatchOptions::one(Step::Spaced) };
        if let Ok(Matches { hits, .. }) = find(&view, &old, &new, &how) {
            let mut done = 0;
            for hit in &hits {
                prop_assert!(done <= hit.range.start && view.get(hit.range.clone()).is_some());
                done = hit.range.end;
            }
            prop_assert!(!hits.is_empty());
            let bare = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
            let ours = bare(&view[hits[0].range.clone()]);
            prop_assert_eq!(ours, bare(&old));
        }
    }

    #[test]
    fn truncation_preserves_both_ends_within_the_limit(text in prose(), bytes in 0_usize..60, most in 0_usize..8, head in 0_usize..5, tail in 0_usize..5) {
        let limit = Limit { bytes, lines: most };
        for kept in [cut::head(&text, limit), cut::head_and_tail(&text, limit, head, tail)] {
            let Some(kept) = kept else {
                prop_assert!(text.len() <= bytes && lines::count(&text) <= most);
                continue;
            };
            prop_assert!(text.starts_with(kept.head) && text.ends_with(kept.tail));
            prop_assert_eq!(kept.head.len() + kept.omitted.bytes + kept.tail.len(), text.len());
            prop_assert!(kept.head.len() + kept.tail.len() <= bytes);
            prop_assert!(lines::count(kept.head) + lines::count(kept.tail) <= most);
            prop_assert!(guard::check(&kept.to_string(), &text).is_err());
        }
    }

    #[test]
    fn window_content_is_independent_of_chunk_boundaries(bytes in stored(), first in 1_u64..6, count in 0_u64..6, characters in 0_u64..12, cuts in prop::collection::vec(0.0..1.0, 0..6)) {
        let ask = LineSelection { first, count, characters };
        let mut ends: Vec<usize> = cuts.iter().map(|share| (bytes.len() as f64 * share) as usize).collect();
        ends.push(bytes.len());
        ends.sort_unstable();
        let mut window = Window::new(ask);
        let mut start = 0;
        for end in ends {
            window.feed(&bytes[start..end]);
            start = end;
        }
        let seen = window.finish();
        if let Ok(text) = str::from_utf8(&bytes) {
            prop_assert_eq!(&seen, &window::seen(&text.into(), ask));
        }
        prop_assert_eq!(seen, naive(&bytes, ask));
    }

    #[test]
    fn applying_a_diff_to_the_old_text_gives_the_new_text(old in prose(), new in prose(), context in 0_usize..4) {
        let found = diff::unified(&old, &new, context);
        prop_assert_eq!(found.text.is_empty(), old == new);
        prop_assert_eq!(apply(&old, &found.text), new);
        let signs = |sign: char| found.text.split_inclusive('\n').filter(|line| line.starts_with(sign)).count();
        prop_assert_eq!((found.added, found.removed, found.cut), (signs('+'), signs('-'), 0));
    }

    #[test]
    fn escaped_names_round_trip(name in prop::collection::vec(any::<u8>(), 0..20), text in "\\PC{0,10}|[\\\\nx\u{202e}\u{1b}\n]{0,8}|\\PC{0,3}\\[toolpost: \\PC{0,3}") {
        for name in [name.as_slice(), text.as_bytes()] {
            let shown = escape::name(name);
            let odd = shown.chars().any(|c| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c));
            prop_assert!(!odd);
            prop_assert_eq!(escape::unescape(&shown), Some(name.to_vec()));
        }
    }

    #[test]
    fn name_key_is_idempotent(name in "\\PC{0,12}") {
        let key = names::variants(&name);
        prop_assert_eq!(names::variants(&key), key.clone());
        prop_assert_eq!(names::same_key(&name, &key).is_some(), true);
    }

    #[test]
    fn partial_code_replaces_no_file_with_unrelated_lines(old in words('o'), new in words('n'), before in 0..4_usize, after in 0..4_usize) {
        let framed = |at: usize, lines: &[String]| format!("{}{}{}\n", FRAMES[at].0, lines.join("\n"), FRAMES[at].1);
        let (old, new) = (framed(before, &old), framed(after, &new));
        // Brackets around both texts are a sign that the new text is complete.
        prop_assume!(before != 1 || after != 1);
        prop_assert!(merge::merge(&old, &new).is_err(), "{old:?} became {new:?}");
        let head = |text: &str| format!("# The list\n{text}");
        let long = new.lines().filter(|line| !line.is_empty()).count() >= old.lines().filter(|line| !line.is_empty()).count();
        let small = lines::count(&old) < 40;
        if let Ok(merged) = merge::merge(&head(&old), &head(&new)) {
            let splices = Text::open(head(&old).into_bytes(), None).unwrap().splice(&merged.splices).unwrap();
            prop_assert_eq!(String::from_utf8(splices).unwrap(), head(&new));
        } else {
            prop_assert!(!(small && long), "{old:?} did not become {new:?}");
        }
    }

    #[test]
    fn guard_accepts_text_that_is_already_in_the_file(text in prose()) {
        prop_assert_eq!(guard::check(&text, &text), Ok(()));
    }
}

/// Reads the requested lines without an index.
fn naive(bytes: &[u8], ask: LineSelection) -> WindowContent {
    let bom = bytes.starts_with(b"\xEF\xBB\xBF");
    let body = if bom { &bytes[3..] } else { bytes };
    let mut facts = Facts { bom, bytes: bytes.len() as u64, ..Facts::default() };
    facts.nul = bytes.iter().position(|&byte| byte == 0).map(|at| at as u64);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(body.split_inclusive(|&byte| byte == b'\n')) {
        facts.lines = number;
        let content = match line.strip_suffix(b"\n") {
            Some(open) if open.ends_with(b"\r") => {
                facts.crlf += 1;
                &open[..open.len() - 1]
            }
            Some(open) => {
                facts.lf += 1;
                open
            }
            None => line,
        };
        facts.tabs += u64::from(line.starts_with(b"\t"));
        facts.spaces += u64::from(line.starts_with(b"  "));
        if number < ask.first || number >= ask.first + ask.count {
            continue;
        }
        let mut text: Vec<char> = Vec::new();
        for chunk in content.utf8_chunks() {
            text.extend(chunk.valid().chars());
            facts.invalid += chunk.invalid().len() as u64;
            let glyphs = chunk
                .invalid()
                .iter()
                .map(|&byte| encoding_rs::mem::decode_latin1(&[byte]).chars().next().unwrap());
            text.extend(glyphs.zip(chunk.invalid()).map(|(latin, &byte)| glyph(latin, byte)));
        }
        let kept = text.len().min(ask.characters as usize);
        found.push((number, text[..kept].iter().collect::<String>(), (text.len() - kept) as u64));
    }
    let lines = found.iter().map(|(number, text, more)| Line { number: *number, text, more: *more });
    WindowContent { lines: lines.collect(), facts }
}

/// Returns the character of windows-1252; only 32 of them differ from Latin-1.
fn glyph(latin: char, byte: u8) -> char {
    let special: Vec<char> = "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ".chars().collect();
    special.get(usize::from(byte).wrapping_sub(0x80)).copied().unwrap_or(latin)
}

/// Applies a unified diff at the locations that its line numbers give.
fn apply(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut out = String::new();
    let (mut at, mut last) = (0, b' ');
    for line in diff.split_inclusive('\n') {
        let body = &line[1..];
        match line.as_bytes()[0] {
            b'@' => {
                let place = line.split(' ').nth(1).unwrap().trim_start_matches('-');
                let (start, count) = place.split_once(',').unwrap_or((place, "1"));
                let start = start.parse::<usize>().unwrap() - usize::from(count != "0");
                out.extend(old[at..start].iter().copied());
                at = start;
            }
            b'\\' if last != b'-' => {
                out.pop();
            }
            b'\\' => {}
            b'+' => out.push_str(body),
            b' ' => {
                out.push_str(body);
                at += 1;
            }
            _ => at += 1,
        }
        last = line.as_bytes()[0];
    }
    out.extend(old[at..].iter().copied());
    out
}
