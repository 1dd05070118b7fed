//! The comparison with the contract: the differences that it reports, and the equality of all existing dialects.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use toolpost_test_rows::each;
use xtask::{
    Repository,
    parity::{self, BehaviourDifference, Difference, ParityInputs, behaviour},
    published_dialect::{PublishedDialect, PublishedTool},
    tree::Tree,
};

/// The parameters of a tool in a contract.
fn contract() -> Value {
    json!({
        "path": {"type": "string", "required": true, "aliases": ["file_path", "Path"]},
        "depth": {"type": "integer", "required": false, "default": 3, "maximum": 5},
        "mode": {"type": "string", "required": false, "enum": ["top", "bottom"]},
        "limit": {"type": "number|null", "required": false},
        "files": {"type": "array", "required": false, "items": {"name": {"type": "string", "required": true}}, "max_items": 2},
    })
}

/// A JSON schema that is equal to `contract()`.
fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["path"],
        "properties": {
            "path": {"type": "string", "x-aliases": ["file_path"]},
            "depth": {"type": ["integer", "null"], "default": 3.0, "maximum": 5.0},
            "mode": {"anyOf": [{"type": "string", "enum": ["top", "bottom"]}, {"type": "null"}]},
            "limit": {"type": ["number", "null"]},
            "files": {"type": "array", "maxItems": 2, "items": {
                "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
            "extra": {"type": "string", "x-unlisted": true},
        },
    })
}

fn example_dialect(tools: &[(&str, Value)]) -> PublishedDialect {
    let tools = tools.iter().map(|(name, full)| PublishedTool {
        name: (*name).to_owned(),
        aliases: vec!["ls".to_owned()],
        operation: "list".to_owned(),
        description: "Lists.".to_owned(),
        page: String::new(),
        published: toolpost_tool::published(full),
        full: full.clone(),
    });
    PublishedDialect { dialect: "trae".to_owned(), tools: tools.collect() }
}

fn against() -> ParityInputs {
    let tool = json!({"params": contract()});
    ParityInputs {
        contract: json!({"trae": {"tools": {"list": tool, "ls": {"params": contract(), "alias_of": "list"}}}}),
        ..ParityInputs::default()
    }
}

/// Sets the value at a JSON pointer in `schema()`, or removes it if `value` is `None`, and checks the reported
/// differences. An empty pointer changes nothing.
fn check(pointer: &str, value: Option<Value>, wanted: &[(&str, &str)]) {
    let mut schema = schema();
    if let Some((parent, key)) = pointer.rsplit_once('/') {
        let parent = schema.pointer_mut(parent).unwrap();
        match (parent, value) {
            (Value::Object(object), Some(value)) => drop(object.insert(key.to_owned(), value)),
            (Value::Object(object), None) => drop(object.shift_remove(key).unwrap()),
            (other, _) => panic!("{other} is no object"),
        }
    }
    let mut against = against();
    against.contract["trae"]["tools"].as_object_mut().unwrap().shift_remove("ls");
    let report = parity::check(&[example_dialect(&[("list", schema)])], &against);
    let wrong: Vec<(&str, &str)> =
        report.rows[0].wrong.iter().map(|wrong| (wrong.key.as_str(), wrong.what.as_str())).collect();
    assert_eq!(wrong, wanted, "{pointer}");
}

#[test]
fn each_kind_of_contract_difference_is_reported() {
    check("", None, &[]);
    check("/properties/depth", None, &[("trae.list.depth", "the parameter is missing")]);
    check("/properties/more", Some(json!({})), &[("trae.list.more", "the contract has no such parameter")]);
    check(
        "/properties/limit/type",
        Some(json!("integer")),
        &[("trae.list.limit", "its type must be number and is integer")],
    );
    check("/required", Some(json!([])), &[("trae.list.path", "it must be required and is optional")]);
    check(
        "/required",
        Some(json!(["path", "mode"])),
        &[("trae.list.mode", "it must be optional and is required")],
    );
    check(
        "/properties/depth/default",
        Some(json!(4)),
        &[("trae.list.depth", "its default must be 3 and is 4")],
    );
    check("/properties/depth/default", None, &[("trae.list.depth", "its default must be 3 and is none")]);
    check(
        "/properties/limit/default",
        Some(json!(1)),
        &[("trae.list.limit", "its default must be none and is 1")],
    );
    check("/properties/depth/maximum", None, &[("trae.list.depth", "its maximum must be 5 and is none")]);
    check(
        "/properties/files/maxItems",
        Some(json!(3)),
        &[("trae.list.files", "its maxItems must be 2 and is 3")],
    );
    check(
        "/properties/mode/anyOf/0/enum",
        Some(json!(["top"])),
        &[("trae.list.mode", "its values must be [\"top\",\"bottom\"] and are [\"top\"]")],
    );
    check(
        "/properties/path/x-aliases",
        None,
        &[("trae.list.path", "it does not accept the alias `file_path`")],
    );
    check(
        "/properties/files/items/properties/name/type",
        Some(json!("integer")),
        &[("trae.list.files.name", "its type must be string and is integer")],
    );
    check(
        "/properties/files/items/required",
        Some(json!([])),
        &[("trae.list.files.name", "it must be required and is optional")],
    );
}

#[test]
fn described_enum_values_equal_plain_values() {
    let described = json!({"oneOf": [{"const": "top", "description": "The first."}, {"type": "string", "const": "bottom"}]});
    check("/properties/mode", Some(described), &[]);
}

#[test]
fn implemented_and_missing_tools_are_counted() {
    let report = parity::check(&[example_dialect(&[("list", schema())])], &against());
    assert_eq!((report.rows[0].tools, report.rows[0].of, report.holds()), (2, 2, true));

    let report = parity::check(&[example_dialect(&[])], &against());
    assert_eq!(
        (report.rows[0].not_yet.as_slice(), report.holds()),
        (["list".to_owned(), "ls".to_owned()].as_slice(), true)
    );

    // The contract can list upstream tools by a name pattern. Only the pattern with double underscores counts as
    // implemented.
    let mut bridged = against();
    let tools = bridged.contract["trae"]["tools"].as_object_mut().unwrap();
    for form in ["mcp__{server}__{tool}", "mcp_{server}_{tool}"] {
        tools.insert(form.to_owned(), json!({ "params": {} }));
    }
    let report = parity::check(&[example_dialect(&[("list", schema())])], &bridged);
    assert_eq!(
        (report.rows[0].tools, report.rows[0].not_yet.as_slice()),
        (3, ["mcp_{server}_{tool}".to_owned()].as_slice())
    );

    let complete = ParityInputs { complete: BTreeSet::from(["trae".to_owned()]), ..against() };
    let report = parity::check(&[], &complete);
    let wrong: Vec<&str> = report.rows[0].wrong.iter().map(|wrong| wrong.key.as_str()).collect();
    assert_eq!((wrong.as_slice(), report.holds()), (["trae.list", "trae.ls"].as_slice(), false));

    let report = parity::check(&[example_dialect(&[("list", schema()), ("burn", json!({}))])], &against());
    let wrong = Difference { key: "trae.burn".to_owned(), what: "the contract has no such tool".to_owned() };
    assert_eq!(report.rows[0].wrong, [wrong]);

    let other = PublishedDialect { dialect: "magic".to_owned(), tools: Vec::new() };
    let report = parity::check(&[other], &against());
    let wrong = Difference { key: "magic".to_owned(), what: "the contract has no such dialect".to_owned() };
    assert_eq!(report.rows[1].wrong, [wrong]);
}

#[test]
fn an_exception_covers_only_its_difference() {
    let mut broken = schema();
    broken["properties"]["depth"]["default"] = json!(9);
    broken["properties"]["limit"]["default"] = json!(9);
    let rows = [
        (vec![], vec!["trae.list.depth", "trae.list.limit"], vec![], vec![]),
        (vec!["trae.list.depth"], vec!["trae.list.limit"], vec!["trae.list.depth"], vec![]),
        (vec!["trae.list.path"], vec!["trae.list.depth", "trae.list.limit"], vec![], vec!["trae.list.path"]),
    ];
    for (exceptions, wrong, meant, stale) in rows {
        let mut against = against();
        against.contract["trae"]["tools"].as_object_mut().unwrap().shift_remove("ls");
        against.exceptions =
            exceptions.iter().map(|key| ((*key).to_owned(), "it is meant".to_owned())).collect();
        let report = parity::check(&[example_dialect(&[("list", broken.clone())])], &against);
        let keys = |list: &[Difference]| list.iter().map(|found| found.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&report.rows[0].wrong), wrong, "{exceptions:?}");
        assert_eq!(keys(&report.rows[0].meant), meant, "{exceptions:?}");
        assert_eq!(report.stale, stale, "{exceptions:?}");
        assert!(!report.holds());
    }
}

#[test]
fn a_difference_of_behaviour_needs_a_tool_and_a_test() {
    let tree = Tree::of_rows(&[
        (
            "crates/a/tests/list.rs",
            "#[tokio::test]\nasync fn one_holds() {}\n\nfn helper() {}\n\n/// Text.\n#[test]\n#[cfg(unix)]\nfn two_holds() {}\n\npub(crate) fn rows_hold() -> Table {}\n",
        ),
        ("crates/b/src/x/list.rs", "    #[test]\n    fn three_holds() {}\n"),
    ]);
    let rows = [
        ("trae.list#calls", "a::list::one_holds", None),
        ("trae.list#calls", "a::list::two_holds", None),
        ("trae.ls#calls", "b::list::three_holds", None),
        ("trae.list#calls", "a::list::rows_hold", None),
        ("trae#calls", "b::list::three_holds", None),
        ("trae.list#", "a::list::one_holds", Some("write the subject")),
        ("trae.lists#calls", "a::list::one_holds", Some("trae has no tool lists")),
        ("magic.list#calls", "a::list::one_holds", Some("no dialect is called magic")),
        ("trae.list#calls", "a::list::helper", Some("no test a::list::helper")),
        ("trae.list#calls", "a::list::one", Some("no test a::list::one")),
        ("trae.list#calls", "b::list::one_holds", Some("no test b::list::one_holds")),
        ("trae.list#calls", "one_holds", Some("write `crate::file::test`")),
    ];
    each(rows, |(key, test, fault)| {
        let difference = BehaviourDifference { reason: "It is meant.".to_owned(), test: test.to_owned() };
        let behaviours = BTreeMap::from([(key.to_owned(), difference)]);
        let faults = behaviour::faults(&behaviours, &[example_dialect(&[("list", schema())])], &tree);
        assert_eq!(faults.is_empty(), fault.is_none(), "{faults:?}");
        assert!(fault.is_none_or(|fault| faults[0].contains(fault)), "{faults:?}");
    });
}

#[test]
fn existing_differences_of_behaviour_name_a_tool_and_a_test() {
    let house = Repository::find().unwrap();
    let against = ParityInputs::read(&house).unwrap();
    let faults =
        behaviour::faults(&against.behaviours, &PublishedDialect::all(), &Tree::of_house(&house).unwrap());
    assert_eq!(faults, Vec::<String>::new());
    let without: Vec<&str> = against
        .dialects()
        .map(|(dialect, _)| dialect)
        .filter(|dialect| !against.behaviours.keys().any(|key| behaviour::parts(key).0 == *dialect))
        .collect();
    assert_eq!(without, Vec::<&str>::new(), "each dialect has differences of behaviour");
}

#[test]
fn existing_dialects_equal_the_contract() {
    let house = Repository::find().unwrap();
    let report = parity::check(&PublishedDialect::all(), &ParityInputs::read(&house).unwrap());
    let wrong: Vec<&Difference> = report.rows.iter().flat_map(|row| &row.wrong).collect();
    assert_eq!((wrong, report.stale), (Vec::new(), Vec::new()));
    // Every dialect has all tools of the contract.
    let missing: Vec<&String> = report.rows.iter().flat_map(|row| &row.not_yet).collect();
    assert_eq!((missing, report.rows.len()), (Vec::new(), 5));
}
