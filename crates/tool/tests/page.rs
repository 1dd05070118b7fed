//! Tests of building a reply from text, images and remarks.

use toolpost_test_rows::each;
use toolpost_tool::{Budget, Page, ReplyPart, TruncationPolicy};

fn text(words: &str) -> ReplyPart {
    ReplyPart::Text(words.to_owned())
}

#[test]
fn notes_follow_the_text_or_form_their_own_part() {
    let picture = ReplyPart::Image { mime: "image/png".to_owned(), data: vec![1] };
    let write = |page: &mut Page, with: &str| match with {
        "line" => page.line("a"),
        "note" => page.note("n"),
        "once" => page.note_once("s"),
        "heard" => page.retain_new(|_| false),
        "picture" => page.image("image/png", vec![1]),
        "apart" => page.remarks_apart(),
        other => panic!("{other}"),
    };
    let rows: [(&[&str], Vec<ReplyPart>); 9] = [
        (&[], vec![text("(empty)")]),
        (&["line"], vec![text("a")]),
        (&["note", "line", "note"], vec![text("a\n[toolpost: n]\n[toolpost: n]")]),
        (&["line", "picture", "note"], vec![text("a\n"), picture.clone(), text("[toolpost: n]")]),
        (&["line", "apart"], vec![text("a")]),
        (&["note", "line", "apart"], vec![text("a\n"), text("[toolpost: n]")]),
        (&["line", "once", "note"], vec![text("a\n[toolpost: s]\n[toolpost: n]")]),
        (&["line", "once", "note", "heard"], vec![text("a\n[toolpost: n]")]),
        (&["apart", "note", "note"], vec![text("[toolpost: n]\n[toolpost: n]")]),
    ];
    each(rows, |(steps, wanted)| {
        let mut page = Page::new();
        steps.iter().for_each(|step| write(&mut page, step));
        assert_eq!(page.finish(), wanted, "{steps:?}");
    });
}

#[test]
fn cut_replies_fit_the_budget_with_notes_and_next_step() {
    let text: String = (0..400).map(|line| format!("line {line}\n")).collect();
    for bytes in [1_024, 2_048, 3_000] {
        for notes in 0..4 {
            let mut page = Page::new();
            page.text(&text);
            page.outcome("Done.");
            (0..notes).for_each(|note| page.note(format!("note {note} {}", "x".repeat(40))));
            page.cut(&Budget { bytes, lines: 10_000, cut: TruncationPolicy::Head });
            let parts = page.finish();
            let [ReplyPart::Text(reply)] = parts.as_slice() else { panic!("{parts:?}") };
            assert!(reply.len() <= bytes, "{bytes}, {notes} notes: {}", reply.len());
            each(["line 0\n", "left out lines ", "Done.", "make a narrower call"], |wanted| {
                assert!(reply.contains(wanted), "{bytes}, {notes} notes: {wanted}: {reply}");
            });
        }
    }
}
