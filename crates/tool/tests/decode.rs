//! Tests of decoding arguments as models send them: unambiguous mistakes are accepted, others are refused
//! with advice.

use proptest::{collection::vec, prelude::*, test_runner::FileFailurePersistence};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_test_rows::each;
use toolpost_tool::{decode, full, published};

/// Arguments of every type.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Args {
    /// Path of the file.
    #[schemars(extend("x-aliases" = ["path", "filename"], "examples" = ["src/main.rs"]))]
    file_path: String,
    /// Maximum number of results.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    limit: u64,
    /// Replace every occurrence.
    replace_all: Option<bool>,
    /// Edits, in order.
    edits: Option<Vec<Edit>>,
    /// Names.
    names: Option<Vec<String>>,
    /// Output format.
    mode: Option<Mode>,
    /// Lines of context.
    #[serde(rename = "-C")]
    around: Option<f64>,
    #[schemars(extend("x-unlisted" = true))]
    hidden: Option<bool>,
}

/// A nested object.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Edit {
    #[schemars(extend("x-aliases" = ["old_str"]))]
    old: String,
    new: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Content,
    FilesOnly,
}

const fn ten() -> u64 {
    10
}

/// Adds the required argument to rows that omit it.
fn complete(mut arguments: Value) -> Value {
    if let Some(object) = arguments.as_object_mut()
        && !object.contains_key("file_path")
    {
        object.insert("file_path".to_owned(), json!("a"));
    }
    arguments
}

fn accepts(arguments: Value, wanted: Value, notes: &[&str]) {
    let decoded = decode(arguments.clone(), &full::<Args>())
        .unwrap_or_else(|failure| panic!("{arguments}: {failure:?}"));
    assert_eq!(Value::Object(decoded.arguments), wanted, "{arguments}");
    assert_eq!(decoded.notes, notes, "{arguments}");
}

fn refuses(arguments: Value, words: &str) {
    let failure = decode(arguments.clone(), &full::<Args>()).expect_err(&arguments.to_string());
    assert_eq!(failure.what, words, "{arguments}");
}

#[test]
fn unambiguous_values_of_another_type_are_accepted() {
    let rows = [
        (json!({"limit": 10.0}), json!({"limit": 10})),
        (json!({"limit": " 3 "}), json!({"limit": 3})),
        (json!({"limit": "+3"}), json!({"limit": 3})),
        (json!({"replace_all": "true"}), json!({"replace_all": true})),
        (json!({"replace_all": "False"}), json!({"replace_all": false})),
        (json!({"edits": {"old": "a", "new": "b"}}), json!({"edits": [{"old": "a", "new": "b"}]})),
        (
            json!({"edits": "[{\"old\": \"a\", \"new\": \"b\"}]"}),
            json!({"edits": [{"old": "a", "new": "b"}]}),
        ),
        (json!({"edits": [{"old_str": "a", "new": 1}]}), json!({"edits": [{"old": "a", "new": "1"}]})),
        (json!({"names": "one"}), json!({"names": ["one"]})),
        (json!({"names": "[\"one\", \"two\"]"}), json!({"names": ["one", "two"]})),
        (json!({"limit": null, "mode": null}), json!({})),
        (json!({"mode": "Content"}), json!({"mode": "content"})),
        (json!({"-C": "2"}), json!({"-C": 2})),
        (json!({"-C": 2.5}), json!({"-C": 2.5})),
        (json!({"file_path": 42}), json!({"file_path": "42"})),
        (json!({"file_path": "[1]"}), json!({"file_path": "[1]"})),
        (json!({"hidden": true}), json!({"hidden": true})),
    ];
    each(rows, |(arguments, wanted)| {
        let (arguments, mut wanted) = (complete(arguments), complete(wanted));
        wanted.sort_all_objects();
        let mut decoded = Value::Object(decode(arguments.clone(), &full::<Args>()).unwrap().arguments);
        decoded.sort_all_objects();
        assert_eq!(decoded, wanted, "{arguments}");
    });
}

#[test]
fn arguments_may_be_a_json_string() {
    accepts(json!("{\"file_path\": \"a\"}"), json!({"file_path": "a"}), &[]);
    accepts(json!("{}{\"file_path\": \"a\"}"), json!({"file_path": "a"}), &[]);
    refuses(
        json!("not json"),
        "The arguments are a string that is not a JSON object: expected ident at line 1 column 2.",
    );
    refuses(json!([1]), "The arguments must be a JSON object, got [1].");
}

#[test]
fn argument_aliases_and_duplicates_are_resolved() {
    accepts(json!({"path": "a"}), json!({"file_path": "a"}), &[]);
    accepts(json!({"filePath": "a"}), json!({"file_path": "a"}), &[]);
    accepts(json!({"FILE-PATH": "a"}), json!({"file_path": "a"}), &[]);
    accepts(json!({"path": "a", "file_path": "a"}), json!({"file_path": "a"}), &[]);
    let both = "both file_path and path were given; file_path was used";
    accepts(json!({"path": "b", "file_path": "a"}), json!({"file_path": "a"}), &[both]);
    accepts(
        json!({"file_path": "a", "explanation": "x"}),
        json!({"file_path": "a"}),
        &["ignored unknown argument: \"explanation\""],
    );
}

#[test]
fn invalid_arguments_are_refused_with_the_expected_type() {
    refuses(
        json!({}),
        "file_path is missing: it takes a string, for example {\"file_path\":\"src/main.rs\"}.",
    );
    refuses(
        json!({"file_pth": "a"}),
        "file_path is missing (misspelled as \"file_pth\"?): it takes a string, for example \
         {\"file_path\":\"src/main.rs\"}. Unknown: \"file_pth\".",
    );
    refuses(
        json!({"file_path": ["a"]}),
        "file_path must be a string, got [\"a\"]; for example {\"file_path\":\"src/main.rs\"}.",
    );
    refuses(
        json!({"file_path": "a", "limit": "many"}),
        "limit must be a whole number, got \"many\"; for example {\"limit\":10}.",
    );
    refuses(
        json!({"file_path": "a", "limit": 0}),
        "limit must be at least 1, got 0; for example {\"limit\":10}.",
    );
    refuses(
        json!({"file_path": "a", "limit": -1}),
        "limit must be at least 1, got -1; for example {\"limit\":10}.",
    );
    refuses(
        json!({"file_path": "a", "limit": 1.5}),
        "limit must be a whole number, got 1.5; for example {\"limit\":10}.",
    );
    refuses(
        json!({"file_path": "a", "mode": "lines"}),
        "mode must be one of \"content\", \"files_only\", got \"lines\"; for example {\"mode\":\"content\"}.",
    );
    refuses(
        json!({"file_path": "a", "edits": [{"old": "x"}]}),
        "In edits[0]: new is missing: it takes a string, for example {\"new\":\"text\"}.",
    );
    refuses(
        json!({"file_path": "a", "edits": [7]}),
        "edits[0] must be an object, got 7; for example {\"edits\":[{\"old\":\"text\",\"new\":\"text\"}]}.",
    );
}

#[test]
fn numbers_above_the_maximum_are_lowered_with_a_note() {
    let lowered = "limit was 1000 and was lowered to 100, the maximum";
    accepts(json!({"file_path": "a", "limit": 1000}), json!({"file_path": "a", "limit": 100}), &[lowered]);
    let huge = "limit was 9223372036854775807 and was lowered to 100, the maximum";
    accepts(json!({"file_path": "a", "limit": 1e300}), json!({"file_path": "a", "limit": 100}), &[huge]);
}

#[test]
fn numbers_below_a_raisable_minimum_are_raised_with_a_note() {
    let schema = |raise: bool| {
        let wait = json!({"type": "integer", "minimum": 500, "maximum": 900, "x-raise": raise});
        json!({"type": "object", "properties": {"wait": wait}})
    };
    let raised = decode(json!({"wait": 20}), &schema(true)).unwrap();
    assert_eq!(Value::Object(raised.arguments), json!({"wait": 500}));
    assert_eq!(raised.notes, ["wait was 20 and was raised to 500, the minimum"]);
    let refused = decode(json!({"wait": 20}), &schema(false)).unwrap_err();
    assert_eq!(refused.what, "wait must be at least 500, got 20; for example {\"wait\":10}.");
    assert_eq!(published(&schema(true))["properties"]["wait"].get("x-raise"), None);
}

#[test]
fn published_schemas_omit_hidden_parameters() {
    let schema = published(&full::<Args>());
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "file_path": {"description": "Path of the file.", "type": "string"},
                "limit": {"description": "Maximum number of results.", "type": "integer", "minimum": 1, "maximum": 100, "default": 10},
                "replace_all": {"description": "Replace every occurrence.", "type": "boolean"},
                "edits": {
                    "description": "Edits, in order.",
                    "type": "array",
                    "items": {
                        "description": "A nested object.",
                        "type": "object",
                        "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                        "required": ["old", "new"]
                    }
                },
                "names": {"description": "Names.", "type": "array", "items": {"type": "string"}},
                "mode": {"description": "Output format.", "type": "string", "enum": ["content", "files_only"]},
                "-C": {"description": "Lines of context.", "type": "number"}
            },
            "required": ["file_path"]
        })
    );
}

#[test]
fn open_objects_keep_undeclared_members() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Call {
        #[schemars(extend("x-aliases" = ["name"]))]
        tool: String,
        arguments: Option<serde_json::Map<String, Value>>,
    }
    let schema = full::<Call>();
    let inside = json!({"path": "a", "limit": "7", "deep": {"er": [1]}, "none": null});
    for given in [inside.clone(), json!(inside.to_string())] {
        let decoded = decode(json!({"name": "t", "arguments": given}), &schema).unwrap();
        assert_eq!(Value::Object(decoded.arguments), json!({"tool": "t", "arguments": inside}));
        assert_eq!(decoded.notes, Vec::<String>::new());
    }
    let decoded = decode(json!({"tool": "t", "path": "a"}), &schema).unwrap();
    assert_eq!(decoded.notes, ["ignored unknown argument: \"path\""]);
}

#[test]
fn null_stays_if_the_schema_gives_it_a_meaning() {
    let schema = json!({
        "type": "object",
        "properties": {"most": {"type": ["number", "null"], "default": 7, "x-null": true, "x-aliases": ["cap"]}}
    });
    let rows = [
        (json!({}), json!({})),
        (json!({"most": null}), json!({"most": null})),
        (json!({"cap": null}), json!({"most": null})),
        (json!({"most": "9"}), json!({"most": 9})),
    ];
    each(rows, |(arguments, wanted)| {
        let decoded = decode(arguments.clone(), &schema).unwrap();
        assert_eq!(Value::Object(decoded.arguments), wanted, "{arguments}");
    });
    let property = published(&schema)["properties"]["most"].clone();
    assert_eq!(property, json!({"type": ["number", "null"], "default": 7}));
}

/// Any JSON value of a few levels, with the names of the parameters among the keys.
fn any_json() -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        Just("file_path".to_owned()),
        Just("path".to_owned()),
        Just("limit".to_owned()),
        Just("replace_all".to_owned()),
        Just("edits".to_owned()),
        Just("old_str".to_owned()),
        Just("names".to_owned()),
        Just("mode".to_owned()),
        Just("-C".to_owned()),
        "[a-z_]{1,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            "[ -~]{0,12}",
            "-?[0-9]{1,20}",
            r#"\[".*"\]"#,
            Just("true".to_owned()),
            Just("content".to_owned())
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 32, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((names.clone(), inner), 0..6).prop_map(|pairs| pairs.into_iter().collect::<Value>()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/decode.txt"))),
        ..ProptestConfig::default()
    })]

    /// Accepted arguments deserialize and stay the same when decoded again; a refusal names a reason.
    #[test]
    fn accepted_arguments_satisfy_the_type(arguments in any_json()) {
        let schema = full::<Args>();
        match decode(arguments, &schema) {
            Ok(decoded) => {
                let object = Value::Object(decoded.arguments.clone());
                let typed: Result<Args, _> = serde_json::from_value(object.clone());
                prop_assert!(typed.is_ok(), "{:?}: {object}", typed.err());
                let again = decode(object, &schema);
                prop_assert_eq!(again.map(|again| again.arguments).ok(), Some(decoded.arguments));
            }
            Err(failure) => prop_assert!(!failure.to_string().is_empty()),
        }
    }
}

/// Models send a number for a text, for example to search for 404. The note shows the text that was used.
#[test]
fn numbers_for_strings_are_used_as_text_with_a_note() {
    let note = |name: &str, number: &str| format!("{name} was the number {number} and was used as text");
    let rows = [
        (json!({"file_path": 7}), json!({"file_path": "7"}), note("file_path", "7")),
        (json!({"path": -0.5}), json!({"file_path": "-0.5"}), note("file_path", "-0.5")),
        (
            json!({"file_path": "a", "names": [404]}),
            json!({"file_path": "a", "names": ["404"]}),
            note("names[0]", "404"),
        ),
        (
            json!({"file_path": "a", "edits": [{"old": 1, "new": "b"}]}),
            json!({"file_path": "a", "edits": [{"old": "1", "new": "b"}]}),
            note("old", "1"),
        ),
    ];
    each(rows, |(arguments, wanted, note)| accepts(arguments, wanted, &[&note]));
    refuses(
        json!({"file_path": "a", "mode": 7}),
        "mode must be one of \"content\", \"files_only\", got \"7\"; for example {\"mode\":\"content\"}.",
    );
}
