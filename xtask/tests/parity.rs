//! The comparison with the contract: what it sees, and that the dialects which exist are equal.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use xtask::{
    House,
    parity::{self, Against, Difference},
    said::{Said, SaidTool},
};

/// The parameters that the contract names.
fn contract() -> Value {
    json!({
        "path": {"type": "string", "required": true, "aliases": ["file_path", "Path"]},
        "depth": {"type": "integer", "required": false, "default": 3, "maximum": 5},
        "mode": {"type": "string", "required": false, "enum": ["top", "bottom"]},
        "limit": {"type": "number|null", "required": false},
        "files": {"type": "array", "required": false, "items": {"name": {"type": "string", "required": true}}, "max_items": 2},
    })
}

/// The schema that is equal to them.
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

fn said(tools: &[(&str, Value)]) -> Said {
    let tools = tools.iter().map(|(name, full)| SaidTool {
        name: (*name).to_owned(),
        aliases: vec!["ls".to_owned()],
        operation: "list".to_owned(),
        description: "Lists.".to_owned(),
        page: String::new(),
        published: toolpost_tool::published(full),
        full: full.clone(),
    });
    Said { dialect: "trae".to_owned(), tools: tools.collect() }
}

fn against() -> Against {
    let tool = json!({"params": contract()});
    Against {
        contract: json!({"trae": {"tools": {"list": tool, "ls": {"params": contract(), "alias_of": "list"}}}}),
        ..Against::default()
    }
}

/// Changes the equal schema by a JSON pointer, and checks the differences that are seen.
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
    let report = parity::check(&[said(&[("list", schema)])], &against);
    let wrong: Vec<(&str, &str)> =
        report.rows[0].wrong.iter().map(|wrong| (wrong.key.as_str(), wrong.what.as_str())).collect();
    assert_eq!(wrong, wanted, "{pointer}");
}

#[test]
fn each_kind_of_difference_is_seen() {
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
        &[("trae.list.path", "it does not answer to the alias `file_path`")],
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
fn values_with_descriptions_are_values() {
    let described = json!({"oneOf": [{"const": "top", "description": "The first."}, {"type": "string", "const": "bottom"}]});
    check("/properties/mode", Some(described), &[]);
}

#[test]
fn tools_and_dialects_are_counted() {
    let report = parity::check(&[said(&[("list", schema())])], &against());
    assert_eq!((report.rows[0].tools, report.rows[0].of, report.holds()), (2, 2, true));

    let report = parity::check(&[said(&[])], &against());
    assert_eq!(
        (report.rows[0].not_yet.as_slice(), report.holds()),
        (["list".to_owned(), "ls".to_owned()].as_slice(), true)
    );

    // Tools of other servers are named in one form, and in no other.
    let mut bridged = against();
    let tools = bridged.contract["trae"]["tools"].as_object_mut().unwrap();
    for form in ["mcp__{server}__{tool}", "mcp_{server}_{tool}"] {
        tools.insert(form.to_owned(), json!({ "params": {} }));
    }
    let report = parity::check(&[said(&[("list", schema())])], &bridged);
    assert_eq!(
        (report.rows[0].tools, report.rows[0].not_yet.as_slice()),
        (3, ["mcp_{server}_{tool}".to_owned()].as_slice())
    );

    let complete = Against { complete: BTreeSet::from(["trae".to_owned()]), ..against() };
    let report = parity::check(&[], &complete);
    let wrong: Vec<&str> = report.rows[0].wrong.iter().map(|wrong| wrong.key.as_str()).collect();
    assert_eq!((wrong.as_slice(), report.holds()), (["trae.list", "trae.ls"].as_slice(), false));

    let report = parity::check(&[said(&[("list", schema()), ("burn", json!({}))])], &against());
    let wrong = Difference { key: "trae.burn".to_owned(), what: "the contract has no such tool".to_owned() };
    assert_eq!(report.rows[0].wrong, [wrong]);

    let other = Said { dialect: "magic".to_owned(), tools: Vec::new() };
    let report = parity::check(&[other], &against());
    let wrong = Difference { key: "magic".to_owned(), what: "the contract has no such dialect".to_owned() };
    assert_eq!(report.rows[1].wrong, [wrong]);
}

#[test]
fn an_exception_covers_its_difference_and_nothing_else() {
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
        let report = parity::check(&[said(&[("list", broken.clone())])], &against);
        let keys = |list: &[Difference]| list.iter().map(|found| found.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&report.rows[0].wrong), wrong, "{exceptions:?}");
        assert_eq!(keys(&report.rows[0].meant), meant, "{exceptions:?}");
        assert_eq!(report.stale, stale, "{exceptions:?}");
        assert!(!report.holds());
    }
}

#[test]
fn the_dialects_that_exist_are_equal_to_the_contract() {
    let house = House::find().unwrap();
    let report = parity::check(&Said::all(), &Against::read(&house).unwrap());
    let wrong: Vec<&Difference> = report.rows.iter().flat_map(|row| &row.wrong).collect();
    assert_eq!((wrong, report.stale), (Vec::new(), Vec::new()));
    // No tool of the references is missing.
    let missing: Vec<&String> = report.rows.iter().flat_map(|row| &row.not_yet).collect();
    assert_eq!((missing, report.rows.len()), (Vec::new(), 5));
}
