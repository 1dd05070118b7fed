//! Tests that slices of the stored output equal the same slices of the whole output.

use super::ring::{OutputBuffer, OutputLimits};
use super::slice::{self, OutputPiece, OutputRange, OutputSide};
use toolpost_test_rows::each;

const TEXT: &str = "a\nbé\n世界 cc\n\nddd dd\u{1f600}d\nend of it\nmore than that\nx\n";

/// Size limits of the output in memory and on disk, and the directory of its file (one does not exist).
const ROOMS: [(OutputLimits, OutputLimits, &str); 5] = [
    (OutputLimits { head: 500, tail: 500 }, OutputLimits { head: 500, tail: 500 }, "/tmp"),
    (OutputLimits { head: 4, tail: 4 }, OutputLimits { head: 500, tail: 500 }, "/tmp"),
    (OutputLimits { head: 4, tail: 4 }, OutputLimits { head: 7, tail: 21 }, "/tmp"),
    (OutputLimits { head: 4, tail: 4 }, OutputLimits { head: 6, tail: 13 }, "/tmp"),
    (OutputLimits { head: 8, tail: 17 }, OutputLimits { head: 6, tail: 13 }, "/no/such"),
];

fn ring(text: &str, memory: OutputLimits, disk: OutputLimits, directory: &str, size: usize) -> OutputBuffer {
    let mut ring = OutputBuffer::new(directory.into(), memory, disk);
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size) {
        ring.push(&piece.iter().collect::<String>());
    }
    ring
}

/// Returns the reason why a piece is wrong; `None` if it equals the part of the whole output `all` at its position,
/// and is outside the gap.
fn wrong(ring: &OutputBuffer, all: &str, piece: &OutputPiece) -> Option<String> {
    let wanted: String =
        all.chars().skip(usize::try_from(piece.from).unwrap()).take(piece.text.chars().count()).collect();
    if wanted != piece.text {
        return Some(format!("{:?} is not {wanted:?}", piece.text));
    }
    let start =
        all.chars().take(usize::try_from(piece.from).unwrap()).map(char::len_utf8).sum::<usize>() as u64;
    let end = start + piece.text.len() as u64;
    let (gap, kept) = ring.gap()?;
    (start < kept && end > gap).then(|| format!("{:?} is in the gap", piece.text))
}

#[test]
fn every_slice_is_a_part_of_the_text() {
    each(ROOMS, |(memory, disk, directory)| {
        each([(1, ""), (7, ""), (1000, "pend€"), (3, "p")], |(size, pending)| {
            let ring = ring(TEXT, memory, disk, directory, size);
            let all = format!("{TEXT}{pending}");
            let total = all.chars().count() as u64;
            for (skip, count) in
                (0..=total + 1).flat_map(|skip| (0..=total + 1).map(move |count| (skip, count)))
            {
                for from in [OutputSide::Top, OutputSide::Bottom, OutputSide::Split] {
                    let shown = slice::show(&ring, pending, OutputRange { from, skip, count }).unwrap();
                    let what = format!("{from:?} {skip} {count} of {ring:?}");
                    assert_eq!(shown.total, total);
                    let length: u64 = shown.pieces.iter().map(|piece| piece.to() - piece.from).sum();
                    assert!(length <= count, "{what}: {shown:?}");
                    for piece in &shown.pieces {
                        assert_eq!(wrong(&ring, &all, piece), None, "{what}");
                    }
                    if ring.gap().is_none() {
                        assert_eq!(shown.pieces, expected(&all, from, skip, count), "{what}");
                    }
                }
            }
        });
    });
}

/// Returns the expected pieces of an output that is kept as a whole.
fn expected(all: &str, from: OutputSide, skip: u64, count: u64) -> Vec<OutputPiece> {
    let letters: Vec<char> = all.chars().collect();
    let clamp = |place: u64| usize::try_from(place).unwrap().min(letters.len());
    let piece = |start: usize, end: usize| OutputPiece {
        from: start as u64,
        text: letters[start..end].iter().collect(),
    };
    let top = |count: u64| {
        let start = clamp(skip);
        let mut piece = piece(start, clamp(skip + count));
        let cut = piece.text.rfind('\n').map_or(0, |at| at + 1);
        if piece.to() < letters.len() as u64 && cut > 0 && cut >= piece.text.len() / 2 {
            piece.text.truncate(cut);
        }
        piece
    };
    let bottom = |skip: u64, count: u64| {
        let end = letters.len() - clamp(skip);
        let start = end - usize::try_from(count).unwrap().min(end);
        let mut piece = piece(start, end);
        let cut = piece.text.find('\n').map_or(0, |at| at + 1);
        let is_cut = start > 0 && letters[start - 1] != '\n';
        if is_cut && cut < piece.text.len() && cut <= piece.text.len() / 2 {
            piece.from += piece.text[..cut].chars().count() as u64;
            piece.text.drain(..cut);
        }
        piece
    };
    let pieces = match from {
        OutputSide::Top => vec![top(count)],
        OutputSide::Bottom => vec![bottom(skip, count)],
        OutputSide::Split if letters.len() - clamp(skip) <= usize::try_from(count).unwrap() => {
            vec![top(count)]
        }
        OutputSide::Split => {
            let first = top(count - count / 2);
            let second = bottom(0, (count / 2).min(letters.len() as u64 - first.to()));
            vec![first, second]
        }
    };
    pieces.into_iter().filter(|piece| !piece.text.is_empty()).collect()
}

#[test]
fn following_returns_each_byte_once() {
    each(ROOMS, |(memory, disk, directory)| {
        let mut ring = OutputBuffer::new(directory.into(), memory, disk);
        let (mut seen, mut cursor) = (String::new(), 0);
        for letter in TEXT.chars() {
            ring.push(letter.encode_utf8(&mut [0; 4]));
            let followed = slice::follow(&ring, String::new(), cursor, 100).unwrap();
            assert_eq!(followed.skipped, 0);
            seen.push_str(&followed.text);
            cursor = followed.cursor;
        }
        assert_eq!((seen.as_str(), cursor), (TEXT, TEXT.len() as u64));
    });
}

#[test]
fn late_following_begins_at_a_line_start() {
    let whole = OutputLimits { head: 500, tail: 500 };
    let ring = ring(TEXT, whole, whole, "/tmp", 5);
    let rows = [
        (0, 500, TEXT, 0),
        (0, 18, "more than that\nx\n", 39),
        (0, 17, "more than that\nx\n", 39),
        (50, 4, "x\n", 4),
        (0, 0, "", 56),
        (400, 9, "", 0),
    ];
    each(rows, |(cursor, limit, text, skipped)| {
        let followed = slice::follow(&ring, String::new(), cursor, limit).unwrap();
        let total = TEXT.len() as u64;
        assert_eq!(
            (followed.text.as_str(), followed.skipped, followed.cursor),
            (text, skipped, total),
            "{cursor} {limit}"
        );
    });
}

#[test]
fn following_does_not_span_lost_output() {
    each(ROOMS, |(memory, disk, directory)| {
        let ring = ring(TEXT, memory, disk, directory, 5);
        for cursor in 0..=TEXT.len() as u64 {
            let followed = slice::follow(&ring, String::new(), cursor, 1000).unwrap();
            let start = usize::try_from(cursor + followed.skipped).unwrap();
            assert_eq!(followed.text, TEXT[start..], "{cursor} of {ring:?}");
            let kept = ring.gap().map_or(0, |(_, kept)| kept);
            assert!(
                followed.skipped == 0
                    || cursor < kept
                    || !TEXT.is_char_boundary(usize::try_from(cursor).unwrap())
            );
        }
    });
}

#[test]
fn lost_output_is_reported_with_its_reason() {
    let (memory, disk) = (OutputLimits { head: 4, tail: 4 }, OutputLimits { head: 6, tail: 13 });
    let lost = |directory: &str| ring(TEXT, memory, disk, directory, 9).lost();
    assert_eq!(
        lost("/tmp").unwrap(),
        "37 bytes in the middle of the output are gone: at most 64 MiB of a command's output are kept"
    );
    assert_eq!(
        lost("/no/such").unwrap(),
        "48 bytes in the middle of the output are gone: no file for the output can be created in /no/such: \
         No such file or directory (os error 2)"
    );
    let mut shrunk = ring(TEXT, memory, disk, "/tmp", 9);
    let before = (shrunk.spooled(), shrunk.gap());
    shrunk.shrink("it was needed");
    assert_eq!((before, shrunk.spooled(), shrunk.gap()), ((19, Some((6, 43))), 0, Some((4, 52))));
}
