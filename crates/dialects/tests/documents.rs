//! Office documents and archives in every dialect that has a tool to read files.

use crate::common;
use toolpost_test_rows::each_async;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, probe, trae, zblade};
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

/// A tool that reads files, its arguments for a file, and those for the second part of the file.
type Row = (&'static Dialect, &'static str, fn(&str) -> Value, fn(&str) -> Value);

const READERS: [Row; 5] = [
    (
        &claude::DIALECT,
        "Read",
        |file| json!({"file_path": file}),
        |file| json!({"file_path": file, "pages": "2"}),
    ),
    (&zblade::DIALECT, "read_file", |file| json!({"path": file}), |file| json!({"path": file, "pages": "2"})),
    (
        &zblade::DIALECT,
        "read_file_range",
        |file| json!({"path": file}),
        |file| json!({"path": file, "start_line": 2, "end_line": 2}),
    ),
    (&probe::DIALECT, "extract", |file| json!({"file": file}), |file| json!({"file": format!("{file}:2-2")})),
    (
        &trae::DIALECT,
        "view_files",
        |file| json!({"files": [{"file_path": file, "start_line": 1, "end_line": -1}]}),
        |file| json!({"files": [{"file_path": file, "start_line": 2, "end_line": 2}]}),
    ),
];

#[tokio::test]
async fn every_read_tool_reads_documents_in_parts() {
    each_async(READERS, async |(dialect, tool, all, second)| {
        let world = World::new(dialect);
        world.put("report.docx", include_bytes!("fixtures/report.docx"));
        world.put("prices.xlsx", include_bytes!("fixtures/prices.xlsx"));
        world.put("files.zip", include_bytes!("fixtures/files.zip"));
        world.put("broken.docx", &include_bytes!("fixtures/report.docx")[..200]);
        let rows = [
            (
                "report.docx",
                "--- part 1 of 2: page 1 ---\nAlpha page",
                "--- part 2 of 2: page 2 ---\nBeta page",
            ),
            (
                "prices.xlsx",
                "sheet Prices, from row 1 ---\n1\t10\n2\t20",
                "sheet Prices, from row 201 ---\n201\t2010",
            ),
        ];
        for (file, one, two) in rows {
            let whole = words(&world.allowed(tool, all(file)).await);
            assert!(whole.contains(one) && whole.contains(two), "{tool} {file}:\n{whole}");
            let part = words(&world.allowed(tool, second(file)).await);
            assert!(!part.contains(one) && part.contains(two), "{tool} {file}:\n{part}");
        }
        let listed = words(&world.allowed(tool, all("files.zip")).await);
        for line in [
            "           3  inside/one.txt",
            "           6  inside/two.txt",
            "an archive of 2 entries, 9 bytes",
        ] {
            assert!(listed.contains(line), "{tool}:\n{listed}");
        }
        let broken = world.allowed(tool, all("broken.docx")).await;
        assert!(words(&broken).contains("broken.docx cannot be shown: the archive is damaged"), "{tool}");
        assert!(matches!(broken, Outcome::Failed(..)), "{tool}");
    })
    .await;
}

/// Each tool refuses a PDF that is too long for one reply, with a hint; the call in the hint succeeds.
#[tokio::test]
async fn hints_for_long_pdfs_can_be_followed() {
    let hints = [
        "Choose pages, for example {\"pages\":\"1-12\"}.",
        "Choose pages with read_file, for example {\"pages\":\"1-12\"}.",
        "Choose pages with read_file, for example {\"pages\":\"1-12\"}.",
        "Add the pages to the path, for example with extract {\"file\":\"r.pdf:1-12\"}.",
        "Choose pages with view_files like lines: start_line 1, end_line 12.",
    ];
    each_async(READERS.into_iter().zip(hints), async |((dialect, tool, all, second), hint)| {
        let world = World::new(dialect);
        world.put("r.pdf", include_bytes!("fixtures/twelve.pdf"));
        let refused = world.allowed(tool, all("r.pdf")).await;
        let what = "r.pdf: the PDF has 12 pages: without a page range, only PDFs of up to 10 pages are read, and one call reads at \
                    most 20 pages";
        assert_eq!(words(&refused).trim_end(), format!("{what}\n{hint}"), "{tool}");
        assert!(matches!(refused, Outcome::Failed(..)), "{tool}");
        let page = words(&world.allowed(tool, second("r.pdf")).await);
        assert_eq!(page.trim_end(), "--- page 2 of 12 ---\nThis is page number 2", "{tool}");
    })
    .await;
    let followed: [(&'static Dialect, &str, Value); 4] = [
        (&claude::DIALECT, "Read", json!({"file_path": "report.pdf", "pages": "1-12"})),
        (&zblade::DIALECT, "read_file", json!({"path": "report.pdf", "pages": "1-12"})),
        (&probe::DIALECT, "extract", json!({"file": "report.pdf:1-12"})),
        (
            &trae::DIALECT,
            "view_files",
            json!({"files": [{"file_path": "report.pdf", "start_line": 1, "end_line": 12}]}),
        ),
    ];
    each_async(followed, async |(dialect, tool, arguments)| {
        let world = World::new(dialect);
        world.put("report.pdf", include_bytes!("fixtures/twelve.pdf"));
        let whole = words(&world.allowed(tool, arguments).await);
        assert_eq!(whole.matches("--- page ").count(), 12, "{tool}: {whole}");
    })
    .await;
}

#[tokio::test]
async fn ignored_page_and_line_ranges_are_noted() {
    let pages = "[toolpost: pages has no effect: the file has no pages]";
    let lines = "[toolpost: offset and limit have no effect: the file has no lines; select parts of a document by pages]";
    let rows: [(&'static Dialect, &str, Value, Option<&str>); 9] = [
        (&claude::DIALECT, "Read", json!({"file_path": "a.txt", "pages": "1-2"}), Some(pages)),
        (&claude::DIALECT, "Read", json!({"file_path": "a.txt", "pages": " "}), None),
        (&claude::DIALECT, "Read", json!({"file_path": "a.txt", "offset": 1, "limit": 1}), None),
        (&claude::DIALECT, "Read", json!({"file_path": "r.pdf", "pages": "1", "offset": 2}), Some(lines)),
        (&claude::DIALECT, "Read", json!({"file_path": "report.docx", "limit": 5}), Some(lines)),
        (&claude::DIALECT, "Read", json!({"file_path": "r.pdf", "pages": "1"}), None),
        (&zblade::DIALECT, "read_file", json!({"path": "a.txt", "pages": "2"}), Some(pages)),
        (&zblade::DIALECT, "read_file", json!({"path": "a.txt"}), None),
        (&zblade::DIALECT, "read_file_range", json!({"path": "a.txt", "start_line": 1, "end_line": 1}), None),
    ];
    each_async(rows, async |(dialect, tool, arguments, wanted)| {
        let world = World::new(dialect);
        world.put("a.txt", "one\ntwo\n");
        world.put("r.pdf", include_bytes!("fixtures/twelve.pdf"));
        world.put("report.docx", include_bytes!("fixtures/report.docx"));
        let outcome = world.allowed(tool, arguments.clone()).await;
        assert!(matches!(outcome, Outcome::Done(_)), "{tool} {arguments}: {outcome:?}");
        let reply = words(&outcome);
        let note = reply.lines().find(|line| line.contains("no effect"));
        assert_eq!(note, wanted, "{tool} {arguments}: {reply}");
    })
    .await;
}
