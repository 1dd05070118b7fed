//! Positions in replies: every tool says the same line, and what a reply says can be given back as arguments.

use crate::common;

use common::{World, words};
use serde_json::{Value, json};
use toolpost_dialects::{claude, opencode, probe, trae, zblade};
use toolpost_runtime::{Config, Outcome};

async fn said(world: &World, tool: &str, arguments: Value) -> String {
    words(&world.allowed(tool, arguments).await)
}

/// Sources with documentation and attributes above their names, and several symbols of one name.
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

/// Lists the symbols of an outline with their whole names.
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
async fn an_outline_says_a_thing_once_and_each_symbol_can_be_asked_for() {
    let world = world();
    for (path, text) in SOURCES {
        let outline: Value =
            serde_json::from_str(&said(&world, "symbol_outline", json!({"path": path})).await).unwrap();
        let mut symbols = Vec::new();
        flat(&outline["symbols"], "", &mut symbols);
        assert!(symbols.len() >= 2, "{outline:#}");
        for (whole, symbol) in symbols {
            let line = symbol["start_line"].as_u64().unwrap();
            // The line of the name, as any search for it finds it.
            let own = symbol["name"].as_str().unwrap().rsplit(['.', ' ']).next().unwrap();
            let text_of_line = text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
            assert!(text_of_line.contains(own), "{path}: {own} is not in line {line}: {text_of_line}");
            let by = match symbol["symbol_id"].as_str() {
                Some(id) => json!({"symbol_id": id}),
                None => json!({"path": path, "qualified_name": whole}),
            };
            let resolved = said(&world, "symbol_resolve", by.clone()).await;
            let resolved: Value =
                serde_json::from_str(&resolved).unwrap_or_else(|_| panic!("{by}: {resolved}"));
            let same = ["name", "kind", "start_line", "end_line", "signature"];
            for key in same {
                assert_eq!(resolved["symbol"][key], symbol[key], "{path} {by}: {key}");
            }
            let found =
                said(&world, "symbol_search", json!({"query": own, "path": path, "limit": 100})).await;
            let found: Value = serde_json::from_str(&found).unwrap();
            let id = &resolved["symbol"]["symbol_id"];
            let hit = found["results"].as_array().unwrap().iter().find(|hit| hit["symbol_id"] == *id);
            let hit = hit.unwrap_or_else(|| panic!("{id}: {found:#}"));
            assert_eq!(hit["start_line"], symbol["start_line"], "{id}");
        }
    }
}

#[tokio::test]
async fn positions_of_a_reply_are_arguments_of_the_next_call() {
    let world = World::new(&opencode::DIALECT);
    world.put("shop/prices.py", "def total(prices):\n    return sum(prices)\n");
    world.put(
        "shop/till.py",
        "from shop.prices import total\n\n\nclass Till:\n    def close(self):\n        return total([1, 2])\n",
    );
    let start =
        json!({"operation": "findReferences", "filePath": "shop/prices.py", "line": 1, "character": 5});
    let references = said(&world, "lsp", start).await;
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
        // From 1 with character, from 0 with column: the same name is meant.
        let from_one =
            json!({"operation": "goToDefinition", "file": path, "line": line, "character": character});
        let from_zero =
            json!({"operation": "definition", "file": path, "line": line - 1, "column": character - 1});
        for arguments in [from_one, from_zero] {
            let found = said(&world, "lsp", arguments.clone()).await;
            assert!(found.starts_with("shop/prices.py:1:5: def total"), "{arguments}: {found}");
            assert!(!found.contains("no name is at that column"), "{arguments}: {found}");
        }
    }
}

#[tokio::test]
async fn a_position_in_two_bases_is_refused_and_each_base_is_named() {
    let world = World::new(&opencode::DIALECT);
    world.put("a.py", "def total():\n    pass\n\n");
    let rows = [
        (json!({"line": 0, "column": 4, "character": 5}), "column and character are both given"),
        (json!({"line": 0, "character": 5}), "line is 0, but with character it counts from 1."),
        (json!({"character": 5}), "line is missing"),
        (json!({"line": 9, "character": 5}), "line 9 was asked for; this call counts lines from 1."),
        (json!({"line": 9, "column": 5}), "line 9 was asked for; this call counts lines from 0."),
        (json!({"line": 3, "character": 1}), "No name is in line 3 of a.py."),
        (json!({"line": 2, "column": 0}), "No name is in line 2 of a.py."),
    ];
    for (mut arguments, wanted) in rows {
        arguments["operation"] = json!("hover");
        arguments["file"] = json!("a.py");
        let outcome = world.allowed("lsp", arguments.clone()).await;
        assert!(matches!(outcome, Outcome::Failed(..)), "{arguments}");
        assert!(words(&outcome).contains(wanted), "{arguments}: {}", words(&outcome));
    }
}

/// Lines that are longer than any reply, of narrow and of wide characters.
fn long_lines() -> [(String, &'static str, &'static str); 3] {
    let line = |middle: &str, count: usize| format!("BEGIN{}FINISH", middle.repeat(count));
    [
        (line("x", 60_000), "BEGINxxx", "xxxFINISH"),
        (line("äß€", 30_000), "BEGINäß€", "äß€FINISH\n"),
        (format!("first\n{}\n", line("\"\\", 70_000)), "first", "\\FINISH\n"),
    ]
}

#[tokio::test]
async fn a_single_long_line_keeps_both_its_ends() {
    for bytes in (0..20_usize).map(|step| 2_048 + step * step * 160) {
        let world =
            World::configured(&zblade::DIALECT, |config| Config { reply_bytes: Some(bytes), ..config });
        for (text, begin, end) in long_lines() {
            world.put("long.txt", &text);
            for (tool, arguments) in [
                ("read_file", json!({"path": "long.txt"})),
                ("read_file_range", json!({"path": "long.txt", "start_line": 1})),
            ] {
                let reply = said(&world, tool, arguments).await + "\n";
                assert!(reply.contains(begin), "{tool}, {bytes} bytes:\n{reply}");
                assert!(reply.contains(end), "{tool}, {bytes} bytes:\n{reply}");
                assert!(reply.contains(&format!("[TRUNCATED: {} bytes", text.len())), "{tool}:\n{reply}");
                assert!(reply.len() <= bytes + 1_024, "{tool}, {bytes} bytes: {}", reply.len());
            }
        }
    }
}

#[tokio::test]
async fn a_line_that_is_asked_for_alone_is_whole() {
    let text = format!("one\n{}\nthree\n", "y".repeat(20_000));
    let whole = "y".repeat(20_000);
    let world = World::new(&trae::DIALECT);
    world.put("f.txt", &text);
    let files =
        |from: u64, to: u64| json!({"files": [{"file_path": "f.txt", "start_line": from, "end_line": to}]});
    let cut = said(&world, "view_files", files(1, 3)).await;
    assert!(cut.contains("18000 more characters") && cut.contains("view it alone"), "{cut}");
    assert!(said(&world, "view_files", files(2, 2)).await.contains(&whole));
    let world = World::new(&claude::DIALECT);
    world.put("f.txt", &text);
    let cut = said(&world, "Read", json!({"file_path": "f.txt"})).await;
    assert!(cut.contains("18000 more characters") && cut.contains("limit 1"), "{cut}");
    assert!(
        said(&world, "Read", json!({"file_path": "f.txt", "offset": 2, "limit": 1})).await.contains(&whole)
    );
    let world = World::new(&probe::DIALECT);
    world.put("f.txt", &text);
    assert!(said(&world, "extract", json!({"file": "f.txt:2-2"})).await.contains(&whole));
}

#[tokio::test]
async fn the_first_line_may_be_called_0() {
    let world = World::new(&claude::DIALECT);
    world.put("f.txt", "one\ntwo\n");
    let read = said(&world, "Read", json!({"file_path": "f.txt", "offset": 0})).await;
    assert!(read.starts_with("     1\tone\n     2\ttwo"), "{read}");
}

#[tokio::test]
async fn a_directory_as_a_pattern_means_its_files() {
    let rows: [(&'static toolpost_tool::Dialect, &str); 3] =
        [(&claude::DIALECT, "Glob"), (&opencode::DIALECT, "glob"), (&zblade::DIALECT, "glob")];
    for (dialect, tool) in rows {
        let world = World::new(dialect);
        world.put("src/deep/a.rs", "");
        world.put("other/b.rs", "");
        let found = said(&world, tool, json!({"pattern": "src/"})).await;
        assert_eq!(found, "src/deep/a.rs", "{tool}");
        for (pattern, why) in [("src", "src/**"), ("!*.rs", "`!` is matched literally")] {
            let found = said(&world, tool, json!({"pattern": pattern})).await;
            assert!(found.contains(why), "{tool} {pattern}: {found}");
        }
    }
}
