//! Positions in replies: all tools report the same line, and reported positions can be passed as arguments.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_runtime::{Config, Outcome};

async fn reply_text(world: &World, tool: &str, arguments: Value) -> String {
    words(&world.allowed(tool, arguments).await)
}

/// Source files with documentation and attributes before definitions, and with several symbols of the same
/// name.
const SOURCES: [(&str, &str); 5] = [
    (
        "src/shape.rs",
        "/// A shape.\n///\n/// With sides.\n#[derive(Clone)]\npub struct Shape {\n    /// Its sides.\n    sides: u32,\n}\n\nimpl Shape {\n    \
         /// Counts.\n    #[must_use]\n    pub fn count(&self) -> u32 {\n        self.sides\n    }\n}\n\nimpl Default for Shape {\n    \
         fn default() -> Self {\n        Self { sides: 3 }\n    }\n}\n",
    ),
    (
        "src/cart.py",
        "import functools\n\n\n@functools.total_ordering\nclass Cart:\n    \"\"\"Holds things.\"\"\"\n\n    @property\n    def \
         total(self):\n        return 1\n\n    @total.setter\n    def total(self, value):\n        self.value = value\n",
    ),
    (
        "src/cart.ts",
        "/**\n * A cart.\n */\nexport class Basket {\n  /** Adds up. */\n  sum(): number {\n    return 1;\n  }\n}\n\nexport namespace \
         tools {\n  export function sum(): number {\n    return 2;\n  }\n}\n",
    ),
    (
        "src/shape.go",
        "package shape\n\n// Square is a shape.\ntype Square struct {\n\tSide int\n}\n\n// Area measures.\nfunc (s Square) Area() \
         int {\n\treturn s.Side * s.Side\n}\n",
    ),
    (
        "src/Shop.java",
        "/** A shop. */\n@Deprecated\npublic class Shop {\n    /** Sells. */\n    @Override\n    public void sell() {}\n}\n",
    ),
];

fn world() -> World {
    let world = World::new(&zblade::DIALECT);
    for (path, text) in SOURCES {
        world.put(path, text);
    }
    world
}

/// Lists the symbols of an outline with their qualified names.
fn flat<'a>(symbols: &'a Value, around: &str, out: &mut Vec<(String, &'a Value)>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        let name = symbol["name"].as_str().unwrap();
        let follows = if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
        let whole = symbol["qualified_name"].as_str().map_or(follows, str::to_owned);
        out.push((whole.clone(), symbol));
        flat(&symbol["children"], &whole, out);
    }
}

#[tokio::test]
async fn outline_symbols_resolve_to_the_same_positions() {
    let world = world();
    each_async(SOURCES, async |(path, text)| {
        let outline: Value =
            serde_json::from_str(&reply_text(&world, "symbol_outline", json!({"path": path})).await).unwrap();
        let mut symbols = Vec::new();
        flat(&outline["symbols"], "", &mut symbols);
        assert!(symbols.len() >= 2, "{outline:#}");
        for (whole, symbol) in symbols {
            let line = symbol["start_line"].as_u64().unwrap();
            // The line that contains the name, as a search finds it.
            let own = symbol["name"].as_str().unwrap().rsplit(['.', ' ']).next().unwrap();
            let text_of_line = text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
            assert!(text_of_line.contains(own), "{path}: {own} is not in line {line}: {text_of_line}");
            let by = match symbol["symbol_id"].as_str() {
                Some(id) => json!({"symbol_id": id}),
                None => json!({"path": path, "qualified_name": whole}),
            };
            let resolved = reply_text(&world, "symbol_resolve", by.clone()).await;
            let resolved: Value =
                serde_json::from_str(&resolved).unwrap_or_else(|_| panic!("{by}: {resolved}"));
            let same = ["name", "kind", "start_line", "end_line", "signature"];
            each(same, |key| {
                assert_eq!(resolved["symbol"][key], symbol[key], "{path} {by}: {key}");
            });
            let found =
                reply_text(&world, "symbol_search", json!({"query": own, "path": path, "limit": 100})).await;
            let found: Value = serde_json::from_str(&found).unwrap();
            let id = &resolved["symbol"]["symbol_id"];
            let hit = found["results"].as_array().unwrap().iter().find(|hit| hit["symbol_id"] == *id);
            let hit = hit.unwrap_or_else(|| panic!("{id}: {found:#}"));
            assert_eq!(hit["start_line"], symbol["start_line"], "{id}");
        }
    })
    .await;
}

#[tokio::test]
async fn lsp_positions_can_be_passed_to_the_next_call() {
    let world = World::new(&opencode::DIALECT);
    world.put("shop/prices.py", "def total(prices):\n    return sum(prices)\n");
    world.put(
        "shop/till.py",
        "from shop.prices import total\n\n\nclass Till:\n    def close(self):\n        return total([1, 2])\n",
    );
    let start =
        json!({"operation": "findReferences", "filePath": "shop/prices.py", "line": 1, "character": 5});
    let references = reply_text(&world, "lsp", start).await;
    let places: Vec<(String, u64, u64)> = references
        .lines()
        .filter(|line| line.starts_with("shop/"))
        .map(|line| {
            let mut parts = line.splitn(4, ':');
            let path = parts.next().unwrap().to_owned();
            let mut number = || parts.next().unwrap().parse::<u64>().unwrap();
            (path, number(), number())
        })
        .collect();
    assert_eq!(places.len(), 3, "{references}");
    for (path, line, character) in places {
        // `character` counts from 1, `column` from 0: both calls mean the same name.
        let from_one =
            json!({"operation": "goToDefinition", "file": path, "line": line, "character": character});
        let from_zero =
            json!({"operation": "definition", "file": path, "line": line - 1, "column": character - 1});
        for arguments in [from_one, from_zero] {
            let found = reply_text(&world, "lsp", arguments.clone()).await;
            assert!(found.starts_with("shop/prices.py:1:5: def total"), "{arguments}: {found}");
            assert!(!found.contains("no name is at that column"), "{arguments}: {found}");
        }
    }
}

#[tokio::test]
async fn lsp_refuses_mixed_position_bases_and_names_the_base() {
    let world = World::new(&opencode::DIALECT);
    world.put("a.py", "def total():\n    pass\n\n");
    let rows = [
        (json!({"line": 0, "column": 4, "character": 5}), "column and character are both given"),
        (json!({"line": 0, "character": 5}), "line is 0, but with character it counts from 1."),
        (json!({"character": 5}), "line is missing"),
        (json!({"line": 9, "character": 5}), "so there is no line 9; this call counts lines from 1."),
        (json!({"line": 9, "column": 5}), "so there is no line 9; this call counts lines from 0."),
        (json!({"line": 3, "character": 1}), "Line 3 of a.py contains no name."),
        (json!({"line": 2, "column": 0}), "Line 2 of a.py contains no name."),
    ];
    each_async(rows, async |(mut arguments, wanted)| {
        arguments["operation"] = json!("hover");
        arguments["file"] = json!("a.py");
        let outcome = world.allowed("lsp", arguments.clone()).await;
        assert!(matches!(outcome, Outcome::Failed(..)), "{arguments}");
        assert!(words(&outcome).contains(wanted), "{arguments}: {}", words(&outcome));
    })
    .await;
}

/// Files with a line longer than any reply, of single-byte and of multi-byte characters.
fn long_lines() -> [(String, &'static str, &'static str); 3] {
    let line = |middle: &str, count: usize| format!("BEGIN{}FINISH", middle.repeat(count));
    [
        (line("x", 60_000), "BEGINxxx", "xxxFINISH"),
        (line("äß€", 30_000), "BEGINäß€", "äß€FINISH\n"),
        (format!("first\n{}\n", line("\"\\", 70_000)), "first", "\\FINISH\n"),
    ]
}

#[tokio::test]
async fn cut_single_line_files_keep_both_ends() {
    for bytes in (0..20_usize).map(|step| 2_048 + step * step * 160) {
        let world =
            World::configured(&zblade::DIALECT, |config| Config { reply_bytes: Some(bytes), ..config });
        for (text, begin, end) in long_lines() {
            world.put("long.txt", &text);
            for (tool, arguments) in [
                ("read_file", json!({"path": "long.txt"})),
                ("read_file_range", json!({"path": "long.txt", "start_line": 1})),
            ] {
                let reply = reply_text(&world, tool, arguments).await + "\n";
                assert!(reply.contains(begin), "{tool}, {bytes} bytes:\n{reply}");
                assert!(reply.contains(end), "{tool}, {bytes} bytes:\n{reply}");
                assert!(reply.contains(&format!("[TRUNCATED: {} bytes", text.len())), "{tool}:\n{reply}");
                assert!(reply.len() <= bytes + 1_024, "{tool}, {bytes} bytes: {}", reply.len());
            }
        }
    }
}

#[tokio::test]
async fn a_line_requested_alone_is_shown_whole() {
    let text = format!("one\n{}\nthree\n", "y".repeat(20_000));
    let whole = "y".repeat(20_000);
    let world = World::new(&trae::DIALECT);
    world.put("f.txt", &text);
    let files =
        |from: u64, to: u64| json!({"files": [{"file_path": "f.txt", "start_line": from, "end_line": to}]});
    let cut = reply_text(&world, "view_files", files(1, 3)).await;
    assert!(cut.contains("18000 more characters") && cut.contains("view only that line"), "{cut}");
    assert!(reply_text(&world, "view_files", files(2, 2)).await.contains(&whole));
    let world = World::new(&claude::DIALECT);
    world.put("f.txt", &text);
    let cut = reply_text(&world, "Read", json!({"file_path": "f.txt"})).await;
    assert!(cut.contains("18000 more characters") && cut.contains("limit 1"), "{cut}");
    assert!(
        reply_text(&world, "Read", json!({"file_path": "f.txt", "offset": 2, "limit": 1}))
            .await
            .contains(&whole)
    );
    let world = World::new(&probe::DIALECT);
    world.put("f.txt", &text);
    assert!(reply_text(&world, "extract", json!({"file": "f.txt:2-2"})).await.contains(&whole));
}

#[tokio::test]
async fn offset_0_means_the_first_line() {
    let world = World::new(&claude::DIALECT);
    world.put("f.txt", "one\ntwo\n");
    let read = reply_text(&world, "Read", json!({"file_path": "f.txt", "offset": 0})).await;
    assert!(read.starts_with("     1\tone\n     2\ttwo"), "{read}");
}

#[tokio::test]
async fn glob_of_a_directory_lists_its_files() {
    let rows: [(&'static toolpost_tool::Dialect, &str); 3] =
        [(&claude::DIALECT, "Glob"), (&opencode::DIALECT, "glob"), (&zblade::DIALECT, "glob")];
    for (dialect, tool) in rows {
        let world = World::new(dialect);
        world.put("src/deep/a.rs", "");
        world.put("other/b.rs", "");
        let found = reply_text(&world, tool, json!({"pattern": "src/"})).await;
        assert_eq!(found, "src/deep/a.rs", "{tool}");
        for (pattern, why) in [("src", "src/**"), ("!*.rs", "`!` is matched literally")] {
            let found = reply_text(&world, tool, json!({"pattern": pattern})).await;
            assert!(found.contains(why), "{tool} {pattern}: {found}");
        }
    }
}
