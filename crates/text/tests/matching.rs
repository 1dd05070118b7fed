//! The steps of the search, with one rule per row.

use toolpost_test_rows::{each, table::Table};

use toolpost_text::encoding::{Splice, SpliceError, Text};
use toolpost_text::lines::LineRange;
use toolpost_text::matching::Difference::{
    AllLineNumbers, Escapes, Indentation, InnerSpace, LeadingBreak, LineNumbers, Punctuation, TrailingBreak,
    TrailingSpace,
};
use toolpost_text::matching::Step::{Exact, Folded, Reindented, Spaced, Unescaped};
use toolpost_text::matching::{
    Choice, Difference, LineDifference, MatchCount, MatchLocation, MatchOptions, Matches, Miss, Step, find,
    find_until,
};

/// Applies an edit; returns the whole new view, the step, and the differences.
fn check(
    view: &str,
    old: &str,
    new: &str,
    how: &MatchOptions,
) -> Result<(String, Step, Vec<Difference>), Miss> {
    let Matches { hits, step, differences, .. } = find(view, old, new, how)?;
    let mut out = String::new();
    let mut done = 0;
    for hit in hits {
        out.push_str(&view[done..hit.range.start]);
        out.push_str(&hit.new);
        done = hit.range.end;
    }
    out.push_str(&view[done..]);
    Ok((out, step, differences))
}

/// Each row: the file's text, the old text, the new text, the file's text afterwards, the step with a hit, and the
/// differences. No differences and a step other than `Exact` mean that there is no hit.
type Row = (&'static str, &'static str, &'static str, &'static str, Step, &'static [Difference]);

const STEPS: &[Row] = &[
    // Step `Exact`: character by character; an exact hit has priority over similar texts.
    ("a 'x' b \u{2018}x\u{2019}", "'x'", "y", "a y b \u{2018}x\u{2019}", Exact, &[]),
    ("a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n", Exact, &[]),
    ("", "", "new", "new", Exact, &[]),
    ("a\nb\nc\n", "b\n", "", "a\nc\n", Exact, &[]),
    ("a\nb\nc\n", "b", "", "a\n\nc\n", Exact, &[]),
    ("say \"hi\"", "\"hi\"", "\u{201C}hi\u{201D}", "say \u{201C}hi\u{201D}", Exact, &[]),
    // Step `Folded`: white space at line ends is ignored.
    ("a  \nb\t\nc", "a\nb", "x\ny", "x\ny\t\nc", Folded, &[TrailingSpace]),
    ("a\nb\nc", "a  \nb\t", "x", "x\nc", Folded, &[TrailingSpace]),
    ("f(\n    \n)", "f(\n\n)", "g", "g", Folded, &[TrailingSpace]),
    ("a \t\nb", "a  ", "x", "x\nb", Folded, &[TrailingSpace]),
    // Step `Folded`: look-alike characters are ignored; where old and new text agree, the characters of the file
    // stay.
    (
        "He said \u{201C}hello\u{201D} \u{2014} it\u{2019}s fine.\n",
        "He said \"hello\" - it's fine.",
        "He said \"bye\" - it's bad.",
        "He said \u{201C}bye\u{201D} \u{2014} it\u{2019}s bad.\n",
        Folded,
        &[Punctuation],
    ),
    ("nb\u{A0}sp line\n", "nb sp line", "nb sp line2", "nb\u{A0}sp line2\n", Folded, &[Punctuation]),
    ("\u{201C}a\u{201D}", "\"a\"", "\"b\" 'c'", "\u{201C}b\" 'c'", Folded, &[Punctuation]),
    (
        "\tsay(\u{201C}a\u{201D});\n\tsay(1);\n",
        "  say(\"a\");\n  say(1);",
        "  say(\"a\");\n  say(2);",
        "\tsay(\u{201C}a\u{201D});\n\tsay(2);\n",
        Reindented,
        &[Indentation, Punctuation],
    ),
    ("it\u{2019}s \u{201C}so\u{201D}", "it's \"so\"", "'n'", "'n'", Folded, &[Punctuation]),
    ("it's", "it\u{2019}s", "it\u{2019}s fine", "it's fine", Folded, &[Punctuation]),
    ("a\u{A0}b \u{2014} c", "a b - c", "d", "d", Folded, &[Punctuation]),
    ("\u{201C}a\u{201D}  \nb", "\"a\"\nb", "c", "c", Folded, &[TrailingSpace, Punctuation]),
    // Step `Folded`: the old text has a line break beyond an end of the file.
    ("first\nrest", "\nfirst\n", "\nnew\n", "new\nrest", Folded, &[LeadingBreak]),
    ("rest\nlast", "last\n", "new\n", "rest\nnew", Folded, &[TrailingBreak]),
    ("rest\nlast", "\nlast\n", "\nnew\n", "rest\nnew", Folded, &[TrailingBreak]),
    ("only", "\nonly\n", "\nnew\n", "new", Folded, &[LeadingBreak, TrailingBreak]),
    ("only", "only\n", "", "", Folded, &[TrailingBreak]),
    // Step `Reindented`: the lines are shifted; the indentation of new lines is that of a known line, or computed.
    (
        "f {\n\tif a {\n\t\tb()\n\t}\n}\n",
        "if a {\n  b()\n}",
        "if a {\n  if c {\n    b()\n  }\n}",
        "f {\n\tif a {\n\t\tif c {\n\t\t\tb()\n\t\t}\n\t}\n}\n",
        Reindented,
        &[Indentation],
    ),
    (
        "f:\n    if a:\n        b()\n",
        "if a:\n\tb()\n",
        "if a:\n\tif c:\n\t\tb()\n",
        "f:\n    if a:\n        if c:\n            b()\n",
        Reindented,
        &[Indentation],
    ),
    (
        "  if (a) {\n    b();\n  }\n",
        "    if (a) {\n        b();\n    }\n",
        "    if (a) {\n        while (c) {\n            b();\n        }\n    }\n",
        "  if (a) {\n    while (c) {\n      b();\n    }\n  }\n",
        Reindented,
        &[Indentation],
    ),
    (
        "\tlet value = 1;\n",
        "  let value = 1;",
        "  let value = 2;\n\n  let other = 3;",
        "\tlet value = 2;\n\n\tlet other = 3;\n",
        Reindented,
        &[Indentation],
    ),
    ("    let value = 1;\n", "let value = 1;\nlet other = 2;", "x", "", Reindented, &[]),
    (
        "        if aaaa {\n            return;\n        }\n",
        "    if aaaa {\n        return;\n    }",
        "}",
        "",
        Reindented,
        &[],
    ),
    ("first_call();\n", "    first_call();", "a();\n    first_call();", "", Reindented, &[]),
    // Step `Reindented`: new text that is already indented like the file is unchanged.
    (
        "    first_call();\n",
        "\nfirst_call();",
        "\n    second_call();",
        "    second_call();\n",
        Reindented,
        &[Indentation, LeadingBreak],
    ),
    (
        "\tfirst_call(\u{2018}a\u{2019});  \n",
        "  first_call('a');\n",
        "\tb();\n",
        "\tb();\n",
        Reindented,
        &[Indentation, TrailingSpace, Punctuation],
    ),
    ("    one\n    two", "one\ntwo\n", "three\n", "    three", Reindented, &[Indentation, TrailingBreak]),
    // Step `Unescaped`: the old text has escapes or line numbers.
    (
        "a(\"b\");\nc();\n",
        "a(\\\"b\\\");\\nc();",
        "a(\\\"d\\\");\\nc();",
        "a(\"d\");\nc();\n",
        Unescaped,
        &[Escapes],
    ),
    ("a\tb", "a\\tb", "a\tc", "a\tc", Unescaped, &[Escapes]),
    (
        "p = 'C:\\new';",
        "p = 'C:\\\\new';",
        "p = 'C:\\old\\new';",
        "p = 'C:\\old\\new';",
        Unescaped,
        &[Escapes],
    ),
    (
        "one\n\n\ttwo\n",
        "     1\tone\n     2\t\n     3\t\ttwo\n",
        "     1\tone\n     2\t\ttwo\n",
        "one\n\ttwo\n",
        Unescaped,
        &[AllLineNumbers],
    ),
    ("one\n  two\n", "7: one\n8:   two", "1", "1\n", Unescaped, &[LineNumbers]),
    ("one\n  two\n", "7:4f | one\n8:aa |   two", "7:4f | 1", "1\n", Unescaped, &[AllLineNumbers]),
    // A line that the model inserted has no number, and the lines after it have their old numbers.
    ("one\ntwo\n", "7| one\n8| two", "7| one\nnew\n8| two", "one\nnew\ntwo\n", Unescaped, &[AllLineNumbers]),
    (
        "one\ntwo\n",
        "7| one\n8| two",
        "7| one\n7| two\n8| three",
        "one\ntwo\nthree\n",
        Unescaped,
        &[AllLineNumbers],
    ),
];

/// Rows that match only if the amount of white space inside lines is ignored.
const SPACED: &[Row] = &[
    ("const a = 1;", "const  a = 1;", "const b = 2;", "const b = 2;", Spaced, &[InnerSpace]),
    ("x = {a:\t1,  b: 2} # y", "{a: 1, b: 2}", "{}", "x = {} # y", Spaced, &[InnerSpace]),
    ("a(b,  c)\r", "a(b, c)", "d\r", "d\r\r", Spaced, &[InnerSpace]),
    ("f  (a);\ng  (b);\n", "f (a);\ng (b);", "$& $1", "$& $1\n", Spaced, &[InnerSpace]),
    (
        "if (a  &&  b) {\n\tc();\n}\n",
        "if (a && b) {\n    c();\n}",
        "if (d) {\n    e();\n}",
        "if (d) {\n\te();\n}\n",
        Spaced,
        &[Indentation, InnerSpace],
    ),
    (
        "say \u{201C}so\u{201D}   now  \n",
        "say \"so\" now\n",
        "x\n",
        "x\n",
        Spaced,
        &[TrailingSpace, Punctuation, InnerSpace],
    ),
    ("one\u{A0} two", "one two", "1", "1", Spaced, &[InnerSpace]),
];

/// A row of `STEPS` or `SPACED` in the name of its test.
fn label(row: &&Row) -> String {
    format!("{:?} for {:?} in {:?}", row.2, row.1, row.0)
}

pub(crate) fn white_space_inside_lines_is_ignored_only_in_the_last_step() -> Table {
    let name = "matching::white_space_inside_lines_is_ignored_only_in_the_last_step";
    Table::new(name, SPACED, label, |&(view, old, new, wanted, step, differences)| {
        let found = check(view, old, new, &MatchOptions::one(Spaced));
        assert_eq!(found, Ok((wanted.to_owned(), step, differences.to_vec())), "{view:?} {old:?}");
        let earlier = check(view, old, new, &MatchOptions::one(Unescaped));
        assert!(
            matches!(earlier, Err(Miss::Absent { .. })),
            "{view:?} {old:?}: an earlier step finds it too"
        );
    })
}

#[test]
fn white_space_must_be_in_both_texts_and_shift_lines_by_one_level() {
    let refused = [
        // One of the texts lacks white space, or has a line break instead.
        ("ab = 1", "a b = 1"),
        ("f(a,b)", "f(a, b)"),
        ("a = 1;\nb = 2;", "a = 1; b = 2;"),
        // The lines are shifted by more than a level.
        ("            if (a  && b) {\n                c();\n", "if (a && b) {\n    c();\n"),
        ("\t\t\tif (a  && b) {\n\t\t\t\tc();\n", "\tif (a && b) {\n\t\tc();\n"),
    ];
    each(refused, |(view, old)| {
        let found = find(view, old, "new", &MatchOptions::one(Spaced));
        assert!(matches!(found, Err(Miss::Absent { .. })), "{view:?} {old:?} {found:?}");
    });
    let twice = find("a  b\na   b\n", "a b", "c", &MatchOptions::every(Spaced));
    assert!(matches!(twice, Err(Miss::Ambiguous { count: 2, step: Spaced, .. })), "{twice:?}");
}

pub(crate) fn first_matching_step_with_a_hit_is_used() -> Table {
    let name = "matching::first_matching_step_with_a_hit_is_used";
    Table::new(name, STEPS, label, |&(view, old, new, wanted, step, differences)| {
        let found = check(view, old, new, &MatchOptions::one(Unescaped));
        if differences.is_empty() && step != Exact {
            assert!(matches!(found, Err(Miss::Absent { .. })), "{view:?} {old:?} {found:?}");
            return;
        }
        assert_eq!(found, Ok((wanted.to_owned(), step, differences.to_vec())), "{view:?} {old:?}");
        let before = [Exact, Folded, Reindented].into_iter().rfind(|before| *before < step);
        let earlier = before.map(|upto| check(view, old, new, &MatchOptions::one(upto)).is_err());
        assert_ne!(earlier, Some(false), "{view:?} {old:?}: an earlier step finds it too");
    })
}

/// Numbers are line numbers only if the file itself has no lines like that, if the text after them begins a line, and
/// if the new text has them like the old text. Otherwise they may be content.
#[test]
fn numbers_that_may_be_content_are_kept() {
    let rows = [
        // The file is a table with the same mark.
        ("1\tone\n2\ttwo\n", "3\ttwo", "3\tthree"),
        ("id | name\n1 | one\n2 | two\n", "7 | two", "7 | three"),
        ("200: ok\n404: lost\n", "405: lost", "405: not allowed"),
        ("see `7:ab | x`\n7:ab | x\ny\n", "8:cd | y", "8:cd | z"),
        // The text is inside a line.
        ("foobar = 1\n", "    12\tbar = 1", "    12\tbaz = 1"),
        // The new text has a number that the old text does not explain.
        ("one\ntwo\n", "7| one\n8| two", "a\nb\n3| c"),
        ("one\ntwo\n", "7| one\n8| two", "9| one\n3| two"),
    ];
    each(rows, |(view, old, new)| {
        let found = find(view, old, new, &MatchOptions::one(Spaced));
        assert!(matches!(found, Err(Miss::Absent { .. })), "{view:?} {old:?}: {found:?}");
    });
    // Another mark in the file does not matter, and an exact match keeps all numbers.
    let marked =
        check("a = {200: ok}\n  two\n", "    12\t  two", "    12\t  2", &MatchOptions::one(Unescaped));
    assert_eq!(marked, Ok(("a = {200: ok}\n  2\n".to_owned(), Unescaped, vec![AllLineNumbers])));
    let exact = check("    12\ttwo\n", "    12\ttwo", "    12\t2", &MatchOptions::one(Unescaped));
    assert_eq!(exact, Ok(("    12\t2\n".to_owned(), Exact, vec![])));
}

#[test]
fn similar_but_unequal_text_is_not_matched() {
    let rows = [
        // The white space that differs is not at the end of a line of the file.
        ("foobar baz", "foo "),
        ("const a = 1;", "const  a = 1;"),
        // The old text is one short line, or begins inside a line of the file.
        ("\tshort()", "  short()"),
        ("x { a();\n    b(); }", "{ a();\nb(); }"),
        // Lines with equal indentation in the old text but not in the file, or the other way round.
        ("if aaaa {\n    bbbb();\n}", "if aaaa {\nbbbb();\n}"),
        ("aaaa\nbbbb\n    cccc", "  aaaa\n    bbbb\n      cccc"),
        ("    aaaa\nbbbb", "aaaa\n    bbbb"),
        // The old text is only white space.
        ("a\n\nb", "   \n  "),
        ("a", "\n\n"),
        // The line numbers in the old text are not consecutive.
        ("one\ntwo", "1: one\n3: two"),
        // A line in the middle differs.
        ("fn a() {\n    one();\n    two();\n}", "fn a() {\n    one();\n    too();\n}"),
    ];
    each(rows, |(view, old)| {
        for how in [MatchOptions::one(Unescaped), MatchOptions::every(Unescaped)] {
            assert!(matches!(find(view, old, "new", &how), Err(Miss::Absent { .. })), "{view:?} {old:?}");
        }
    });
}

#[test]
fn later_matching_steps_refuse_to_replace_several_hits() {
    let every = MatchOptions::every(Unescaped);
    let rows = [
        ("a b a", "a", "aa", Ok(("aa b aa", Exact))),
        ("\u{2018}a\u{2019} \u{2018}a\u{2019}", "'a'", "b", Ok(("b b", Folded))),
        ("\tfirst_call();\n", "  first_call();", "  b();", Ok(("\tb();\n", Reindented))),
        ("\tfirst_call();\n\t\tfirst_call();\n", "  first_call();", "  b();", Err((2, Reindented))),
        ("a\tb a\tb", "a\\tb", "c", Err((2, Unescaped))),
    ];
    each(rows, |(view, old, new, wanted)| {
        let found = match check(view, old, new, &every) {
            Ok((out, step, _)) => Ok((out, step)),
            Err(Miss::Ambiguous { count, step, .. }) => Err((count, step)),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(found, wanted.map(|(out, step)| (out.to_owned(), step)), "{view:?}");
    });
}

#[test]
fn line_hints_select_one_of_several_hits() {
    let mut view = vec!["-"; 200];
    for line in [10, 20, 30, 150] {
        view[line - 1] = "hit";
    }
    let view = view.join("\n");
    let rows = [
        (None, 0, None),
        (Some((20, 20)), 0, Some(20)),
        (Some((15, 25)), 0, Some(20)),
        (Some((5, 25)), 0, None),
        (Some((12, 13)), 0, Some(10)),
        (Some((15, 15)), 0, None),
        (Some((70, 71)), 0, Some(30)),
        (Some((71, 80)), 0, None),
        (Some((110, 120)), 0, Some(150)),
        (None, 150, Some(150)),
        (Some((20, 20)), 60, Some(30)),
    ];
    each(rows, |(near, after, wanted)| {
        let near = near.map(|(first, last)| LineRange { first, last });
        let start = (after > 0).then(|| {
            view.match_indices("hit").map(|(at, _)| at + 3).nth(if after == 60 { 1 } else { 2 }).unwrap()
        });
        let how = MatchOptions { near, start, ..MatchOptions::one(Unescaped) };
        let found = find(&view, "hit", "x", &how);
        let line =
            found.as_ref().ok().map(|found| view[..found.hits[0].range.start].matches('\n').count() + 1);
        assert_eq!(line, wanted, "{near:?} {after}: {found:?}");
    });
    let unique = MatchOptions { near: Some(LineRange { first: 190, last: 190 }), ..MatchOptions::one(Exact) };
    assert!(find("one\ntwo", "one", "x", &unique).is_ok());
}

#[test]
fn match_outside_the_given_lines_is_reported_with_the_others() {
    let mut view = vec!["-"; 400];
    for line in [10, 20, 30, 100, 110, 120, 130, 140] {
        view[line - 1] = "  hit(number_one);";
    }
    let view = view.join("\n");
    let choice = |line, first, last, others: &[usize], count| {
        Some(Choice { line, near: Some(LineRange { first, last }), others: others.to_vec(), count })
    };
    let others = [10, 30, 100, 110, 120];
    let chain = format!("-\n  hit(number_one);\n{}  hit", "-\n".repeat(9));
    // The given lines, old and new text, and the choice.
    let rows = [
        ((20, 20), "hit(number_one);", "x", None),
        ((15, 25), "hit(number_one);", "x", None),
        ((22, 23), "hit(number_one);", "x", choice(20, 22, 23, &others, 8)),
        ((22, 22), "\thit(number_one);", "\thit(2);", choice(20, 22, 22, &others, 8)),
        // Matches that overlap another one do not count.
        ((2, 2), chain.as_str(), "x", choice(9, 2, 2, &[99, 119], 3)),
    ];
    each(rows, |((first, last), old, new, wanted)| {
        let how = MatchOptions { near: Some(LineRange { first, last }), ..MatchOptions::one(Unescaped) };
        let found = find(&view, old, new, &how);
        assert_eq!(found.map(|found| found.choice), Ok(wanted), "{first} {old:?}");
    });
    let unique = MatchOptions { near: Some(LineRange { first: 190, last: 195 }), ..MatchOptions::one(Exact) };
    let found = find("one\ntwo", "two", "x", &unique).unwrap();
    assert_eq!(found.choice, choice(2, 190, 195, &[], 1));
}

#[test]
fn failed_matches_report_the_reason_and_candidates() {
    let place = |line: usize, text: &str| MatchLocation { line, text: text.to_owned() };
    let rows = [
        ("a", "x", "x", MatchCount::One, Miss::Same),
        ("a", "x\r\n", "x\n", MatchCount::One, Miss::Same),
        ("a", "", "x", MatchCount::One, Miss::EmptyOld),
        (
            "a 1\nb\na 2\n",
            "a",
            "x",
            MatchCount::One,
            Miss::Ambiguous { count: 2, step: Exact, places: vec![place(1, "a 1"), place(3, "a 2")] },
        ),
        (
            "aXa\naXa",
            "aXa\naXa\n",
            "aXa",
            MatchCount::One,
            Miss::Absent { closest: None, already_there: None },
        ),
        (
            "b\nvalues = 2",
            "values = 3",
            "values = 2",
            MatchCount::Every,
            Miss::Absent { closest: None, already_there: Some(2) },
        ),
    ];
    each(rows, |(view, old, new, want, wanted)| {
        let mut found = find(view, old, new, &MatchOptions { want, ..MatchOptions::one(Exact) }).unwrap_err();
        if let (Miss::Absent { closest, .. }, Miss::Absent { closest: None, .. }) = (&mut found, &wanted) {
            assert!(closest.take().is_some());
        }
        if let Miss::Absent { already_there, .. } = &mut found
            && wanted == (Miss::Absent { closest: None, already_there: None })
        {
            assert_eq!(already_there.take(), None);
        }
        assert_eq!(found, wanted, "{view:?} {old:?}");
    });
    let many = find(&"x\n".repeat(9), "x", "y", &MatchOptions::one(Exact)).unwrap_err();
    assert!(matches!(&many, Miss::Ambiguous { count: 9, places, .. } if places.len() == 5), "{many:?}");
    assert!(many.to_string().ends_with("\n  line 5: x\n  and 4 more"), "{many}");
}

#[test]
fn closest_lines_are_shown_with_a_word_diff() {
    let view = "use a;\n\nfn sum(left: u8) {\n\tlet total = left + 1;\n\tprint(total);\n}\n\nlet arrow = (z) => {\n\tz\n};\n";
    let rows = [
        (
            "fn sum(left: u8) {\n    let total = left + 1;\n    print(total);\n}",
            (3, 6, true),
            "fn sum(left: u8) {\n\u{2192}let total = left + 1;\n\u{2192}print(total);\n}",
            "4: [-\u{B7}\u{B7}\u{B7}\u{B7}-]{+\u{2192}+}let total = left + 1;\n5: [-\u{B7}\u{B7}\u{B7}\u{B7}-]{+\u{2192}+}print(total);",
        ),
        (
            "\tlet totals = left + 1;",
            (4, 4, false),
            "\u{2192}let total = left + 1;",
            "4: \tlet [-totals-]{+total+} = left + 1;",
        ),
        (
            "\tlet total = left + 2;\n\tlog();\n\tprint(total);",
            (4, 5, false),
            "\u{2192}let total = left + 1;\n\u{2192}print(total);",
            "4: \tlet total = left + [-2-]{+1+};\n[-\u{2192}log();-]",
        ),
        // Surrounding lines that resemble no line of the old text are not shown.
        (
            "fn sum(left: u8) {\n\tlog();\n\tlet total = left + 2;\n\tlog();\n\tprint(total);\n}",
            (3, 6, false),
            "fn sum(left: u8) {\n\u{2192}let total = left + 1;\n\u{2192}print(total);\n}",
            "4: \t[-log()-]{+let\u{B7}total\u{B7}=\u{B7}left\u{B7}+\u{B7}1+};\n\
             [-\u{2192}let\u{B7}total\u{B7}=\u{B7}left\u{B7}+\u{B7}2;-]\n[-\u{2192}log();-]",
        ),
    ];
    each(rows, |(old, (first, last, whitespace), shown, diff)| {
        let Err(Miss::Absent { closest: Some(found), .. }) =
            find(view, old, "new", &MatchOptions::one(Exact))
        else {
            panic!("{old}");
        };
        let only_space = found.differs == LineDifference::Whitespace;
        assert_eq!((found.first_line, found.last_line, only_space), (first, last, whitespace));
        assert_eq!((found.shown.as_str(), found.diff.as_str()), (shown, diff));
    });
    let nothing = find(view, "completely different words stand here", "new", &MatchOptions::one(Unescaped));
    assert_eq!(nothing, Err(Miss::Absent { closest: None, already_there: None }));
}

/// The closest lines are those that differ in letter case only, even if other lines share more characters. Among
/// several, those with the same case come first.
#[test]
fn closest_lines_ignore_letter_case() {
    use LineDifference::{Case, CaseAndWhitespace, Text, Whitespace};
    let quotes = "say(\u{201C}no\u{201D}); // a \u{2013} b\n";
    let sql = "select name from users where age > 21;\nSELECT name FROM orders WHERE age > 21;\n\
               Select Name From Users Where Age > 21;\n";
    let constants = "const fn limit() {}\nconst LIMIT: u32 = 10;\nconst LIMITS: u32 = 11;\n";
    let turkish = "ÜBER = 1\nunter = 2\nÄRGER = 3\n";
    let block = "fn one() {\n    RETURN_VALUE(1);\n    DONE();\n}\nfn two() {\n    return_values(2);\n    begin();\n}\n";
    let long = format!("{}LET_VALUE = compute(1);{}", "a=1;".repeat(900), "b=2;".repeat(900));
    let rows = [
        (sql, "SELECT NAME FROM USERS WHERE AGE > 21;", 1, Case),
        (sql, "Select Name From Users Where age > 21;", 3, Case),
        (sql, "select  name from ORDERS where age > 21;", 2, CaseAndWhitespace),
        (constants, "CONST limit: U32 = 10;", 2, Case),
        (constants, "const limit: u32 = 12;", 2, Text),
        (turkish, "über = 1", 1, Case),
        (turkish, "ärger = 4", 3, Text),
        (block, "    return_value(1);\n    done();", 2, Case),
        (long.as_str(), "let_value = compute(1);", 1, Case),
        // Look-alike punctuation is neither white space nor letter case.
        (quotes, "say(\"no\"); // a - b", 1, Text),
        (quotes, "SAY(\"NO\"); // A - B", 1, Text),
        (quotes, "say(\u{201C}no\u{201D});  // a \u{2013} b", 1, Whitespace),
        (quotes, "SAY(\u{201C}NO\u{201D}); // a \u{2013} b", 1, Case),
    ];
    each(rows, |(view, old, line, differs)| {
        let found = find(view, old, "something else", &MatchOptions::one(Exact));
        let Err(Miss::Absent { closest: Some(found), .. }) = found else { panic!("{old}: {found:?}") };
        assert_eq!((found.first_line, found.differs), (line, differs), "{old}: {found:?}");
    });
}

#[test]
fn closest_match_can_be_a_part_of_a_longer_line() {
    let long = format!("{}const limit = 10;{}", "let a=1;".repeat(2_000), "let b=2;".repeat(2_000));
    let rows = [
        (
            "one\n\ndef to_bytes(value: str | bytes, encoding: str = \"utf-8\") -> bytes:\n    return value\n",
            "def to_bytess(",
            3,
            "to_bytes(",
        ),
        (long.as_str(), "const limits = 10;", 1, "const limit = 10;"),
        ("a\nb\ncall(first, second, third_argument)\n", "second, third_argumen,", 3, "third_argument"),
    ];
    each(rows, |(view, old, line, part)| {
        let Err(Miss::Absent { closest: Some(found), .. }) =
            find(view, old, "new", &MatchOptions::one(Exact))
        else {
            panic!("{old}: nothing is like it");
        };
        assert_eq!((found.first_line, found.last_line), (line, line), "{old}");
        assert!(found.shown.contains(part) && found.shown.len() < 400, "{old}: {}", found.shown);
    });
    // As many characters are shown before the part as after it, and tabs are visible as in whole lines.
    let view = format!("{}\tconst limit = 10;\t{}", "abcdefghij".repeat(20), "0123456789".repeat(20));
    let Err(Miss::Absent { closest: Some(found), .. }) =
        find(&view, "const limits = 10;", "new", &MatchOptions::one(Exact))
    else {
        panic!("nothing is like it");
    };
    let (before, after) = ("jabcdefghi".repeat(6), &"0123456789".repeat(6)[..59]);
    assert_eq!(found.shown, format!("\u{2026}{before}j\u{2192}const limit = 10;\u{2192}{after}\u{2026}"));
    let short = find("fn 2() {}\n", "1", "2", &MatchOptions::one(Exact));
    assert!(matches!(short, Err(Miss::Absent { already_there: None, .. })), "{short:?}");
}

#[test]
fn replacement_with_too_much_new_text_is_refused() {
    let view = "a".repeat(1 << 16);
    let found = find(&view, "a", &"b".repeat(1 << 16), &MatchOptions::every(Exact));
    assert_eq!(found, Err(Miss::TooMuch { count: 1 << 16 }));
}

/// More matches than one edit holds are counted and refused, whatever is asked for.
#[test]
fn too_many_matches_are_refused_with_their_number() {
    let count = 6_000_000;
    let view = "ab".repeat(count);
    for how in [MatchOptions::every(Unescaped), MatchOptions::one(Unescaped)] {
        assert_eq!(find(&view, "a", "x", &how), Err(Miss::TooMuch { count }));
    }
}

/// A search and a replacement end soon after they are asked to, in the middle of one text.
#[test]
fn search_and_replacement_stop_when_asked() {
    let count = 200_000;
    let view = "needle hay\n".repeat(count);
    let asked = std::cell::Cell::new(0);
    let after = |most: usize| {
        let asked = &asked;
        move || {
            asked.set(asked.get() + 1);
            asked.get() > most
        }
    };
    let found = find_until(&view, "needle", "thread", &MatchOptions::every(Unescaped), &after(2));
    assert_eq!((found, asked.replace(0)), (Err(Miss::Stopped), 3));
    // While the matches are found, and while their new texts are made.
    let all =
        find_until(&view, "needle", "thread", &MatchOptions::every(Unescaped), &after(usize::MAX)).unwrap();
    let checks = asked.replace(0);
    let found = find_until(&view, "needle", "thread", &MatchOptions::every(Unescaped), &after(checks - 1));
    assert_eq!((found, asked.replace(0)), (Err(Miss::Stopped), checks));
    assert!(checks >= 2 * count / 4096, "{checks} checks");
    // Each step of a search without a match.
    let text = "no such text in any of these lines";
    let stopped = find_until(&view, text, "x", &MatchOptions::every(Spaced), &after(3));
    assert_eq!((stopped, asked.replace(0)), (Err(Miss::Stopped), 4));
    let text = Text::open(view.into_bytes(), None).unwrap();
    let splices: Vec<Splice> =
        all.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
    let stopped = text.splice_until(&splices, &after(5));
    assert_eq!((stopped, asked.replace(0)), (Err(SpliceError::Stopped), 6));
    assert!(text.splice_until(&splices, &after(usize::MAX)).is_ok());
    assert!(asked.get() >= count / 4096, "{} checks", asked.get());
}

/// Processor time of this thread, in nanoseconds; `None` if the system does not report it.
fn processor_time() -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "reads a file of /proc")]
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split(' ').next()?.parse().ok()
}

/// Replacing every occurrence takes time proportional to the text, on one line and on many: four times the
/// occurrences take far less than sixteen times the processor time.
#[test]
fn replacing_every_occurrence_is_linear() {
    let work = |count: usize, unit: &str| -> Option<u64> {
        let view = unit.repeat(count);
        let text = Text::open(view.clone().into_bytes(), None).ok()?;
        let before = processor_time()?;
        let found = find(&view, "needle", "thread!", &MatchOptions::every(Exact)).unwrap();
        assert_eq!(found.hits.len(), count);
        let splices: Vec<Splice> =
            found.hits.into_iter().map(|hit| Splice { range: hit.range, new: hit.new }).collect();
        let new = text.splice(&splices).unwrap();
        assert_eq!(new.len(), view.len() + count);
        Some(processor_time()? - before)
    };
    for unit in ["needle hay ", "needle hay\n"] {
        let best = |count: usize| (0..3).filter_map(|_| work(count, unit)).min();
        let (Some(few), Some(many)) = (best(50_000), best(200_000)) else {
            return toolpost_test_rows::skip("/proc does not report the processor time");
        };
        // The kernel counts in ticks of several milliseconds.
        let most = few.saturating_mul(8) + 20_000_000;
        assert!(many < most, "{unit:?}: {few} ns, then {many} ns for four times as many");
    }
}
