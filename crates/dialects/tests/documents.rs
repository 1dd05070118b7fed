//! Office documents and archives in every dialect that has a tool to read files.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, probe, trae, zblade};
use toolpost_runtime::Outcome;
use toolpost_tool::Dialect;

/// A tool that reads, its arguments for a file, and those for the second part of it.
type Row = (&'static Dialect, &'static str, fn(&str) -> Value, fn(&str) -> Value);

const READERS: [Row; 4] = [
    (
        &claude::DIALECT,
        "Read",
        |file| json!({"file_path": file}),
        |file| json!({"file_path": file, "pages": "2"}),
    ),
    (&zblade::DIALECT, "read_file", |file| json!({"path": file}), |file| json!({"path": file, "pages": "2"})),
    (&probe::DIALECT, "extract", |file| json!({"file": file}), |file| json!({"file": format!("{file}:2-2")})),
    (
        &trae::DIALECT,
        "view_files",
        |file| json!({"files": [{"file_path": file, "start_line": 1, "end_line": -1}]}),
        |file| json!({"files": [{"file_path": file, "start_line": 2, "end_line": 2}]}),
    ),
];

#[tokio::test]
async fn documents_are_read_in_parts_by_every_reader() {
    for (dialect, tool, all, second) in READERS {
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
    }
}
