//! The table of settings: every row by flag, variable and key, in order of precedence, and in the documentation.

use std::{collections::HashMap, ffi::OsString, path::PathBuf};
use toolpost::settings::{
    Flags, Settings, Shape, Sources,
    reference::line,
    table::{Described, Line, Takes, described},
};

/// Returns the value of a setting and its origin.
fn value(setting: &Described, sources: Sources) -> (String, String) {
    let settings = Settings::from_sources(&sources).unwrap();
    let line = settings.lines().into_iter().find(|line| line.key == setting.row.key).unwrap();
    (line.value, line.origin)
}

/// The example as the texts of the flag.
fn flags(setting: &Described) -> Flags {
    let mut flags = Flags::default();
    let texts: Vec<OsString> = match setting.shape {
        Shape::Commas => setting.row.example.split(',').map(OsString::from).collect(),
        Shape::Colons => setting.row.example.split(':').map(OsString::from).collect(),
        Shape::Text | Shape::Number | Shape::Words => vec![setting.row.example.into()],
    };
    flags.set(setting.row, texts);
    flags
}

fn variables(setting: &Described, text: &str) -> HashMap<String, OsString> {
    HashMap::from([(setting.row.variable.to_owned(), text.into())])
}

/// The example as a line of the configuration file.
fn file(setting: &Described) -> String {
    let example = setting.row.example;
    let list = |parts: Vec<&str>| format!("{parts:?}");
    let value = match setting.shape {
        Shape::Text => format!("{example:?}"),
        Shape::Number => example.to_owned(),
        Shape::Commas => list(example.split(',').collect()),
        Shape::Colons => list(example.split(':').collect()),
        Shape::Words => list(example.split(' ').collect()),
    };
    match setting.row.key.split_once('.') {
        Some((table, key)) => format!("[{table}]\n{key} = {value}\n"),
        None => format!("{} = {value}\n", setting.row.key),
    }
}

fn with_file(flags: Flags, variables: HashMap<String, OsString>, text: &str) -> Sources {
    Sources::new(flags, variables).with_file(PathBuf::from("/c.toml"), text).unwrap()
}

#[test]
fn flag_variable_and_key_of_each_row_set_the_same_value() {
    for setting in described() {
        let key = setting.row.key;
        let none = HashMap::new();
        let (default, origin) = value(&setting, Sources::default());
        assert_eq!(origin, "default", "{key}");
        let by_variable =
            value(&setting, Sources::new(Flags::default(), variables(&setting, setting.row.example)));
        assert_ne!(by_variable.0, default, "{key}: the example is the default");
        assert_eq!(by_variable.1, format!("environment, {}", setting.row.variable), "{key}");
        let by_file = value(&setting, with_file(Flags::default(), none.clone(), &file(&setting)));
        assert_eq!(by_file, (by_variable.0.clone(), "file, /c.toml".to_owned()), "{key}");
        if setting.row.flag.is_some() {
            let by_flag = value(&setting, Sources::new(flags(&setting), none));
            assert_eq!(by_flag, (by_variable.0, "flag".to_owned()), "{key}");
        }
    }
}

#[test]
fn a_flag_wins_over_the_variable_over_the_file_for_each_row() {
    for setting in described() {
        let key = setting.row.key;
        let variable = variables(&setting, setting.row.example);
        let of_both = value(&setting, with_file(Flags::default(), variable.clone(), &file(&setting)));
        assert!(of_both.1.starts_with("environment"), "{key}: {}", of_both.1);
        let empty = value(&setting, with_file(Flags::default(), variables(&setting, ""), &file(&setting)));
        assert!(empty.1.starts_with("file"), "{key}: an empty variable is not set, but {}", empty.1);
        if setting.row.flag.is_some() {
            let of_all = value(&setting, with_file(flags(&setting), variable, &file(&setting)));
            assert_eq!(of_all.1, "flag", "{key}");
        }
    }
}

#[test]
fn every_row_has_names_of_its_own_and_a_row_in_the_documentation() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = described();
    for (number, setting) in table.iter().enumerate() {
        let row = setting.row;
        assert!(page.contains(&line(setting)), "run `cargo xtask docs`: {} lacks {}", path, line(setting));
        assert!(!row.help.is_empty() && !row.help.ends_with('.') && !row.default.is_empty(), "{}", row.key);
        for other in &table[..number] {
            assert!(row.key != other.row.key && row.variable != other.row.variable, "{}", row.key);
            let same = row.flag.zip(other.row.flag).is_some_and(|(flag, other)| flag.name == other.name);
            assert!(!same, "{}", row.key);
        }
    }
}

#[test]
fn a_switch_is_the_only_flag_without_a_value() {
    for setting in described() {
        let Some(flag) = setting.row.flag else { continue };
        assert_eq!(flag.takes == Takes::Nothing, flag.value.is_empty(), "{}", setting.row.key);
        let list = matches!(setting.shape, Shape::Commas | Shape::Colons);
        assert_eq!(list, matches!(flag.takes, Takes::Many | Takes::ManyByComma), "{}", setting.row.key);
    }
}

#[test]
fn a_wrong_value_is_an_error_that_names_its_source() {
    let variable = |name: &str, text: &str| {
        Sources::new(Flags::default(), HashMap::from([(name.to_owned(), text.into())]))
    };
    let file = |text: &str| Sources::default().with_file(PathBuf::from("/c.toml"), text);
    let read = |sources: Sources| Settings::from_sources(&sources).unwrap_err().chain();
    assert_eq!(
        read(variable("TOOLPOST_ASK", "maybe")),
        "TOOLPOST_ASK is `maybe`: it must be one of allow, deny, prompt"
    );
    assert_eq!(
        read(variable("TOOLPOST_REPLY_BYTES", "10")),
        "TOOLPOST_REPLY_BYTES is `10`: the reply limit must be at least 2048 bytes"
    );
    let rows = [
        ("ask = \"maybe\"\n", "`ask`: it must be one of allow, deny, prompt"),
        ("ask = 1\n", "`ask`: it must be a text in quotes"),
        ("dialect = \"claude\"\n", "`dialect`: it must be a list of texts, such as [\"a\", \"b\"]"),
        ("reply_bytes = \"4000\"\n", "`reply_bytes`: it must be a number"),
        ("[agent]\nwindow = 0\n", "`agent.window`: it must be more than 0"),
    ];
    for (text, wanted) in rows {
        let said = read(file(text).unwrap());
        assert_eq!(said, format!("invalid configuration file /c.toml: {wanted}"), "{text}");
        // It is an error even if another source overrides it.
        if text.starts_with("ask") {
            let variables = HashMap::from([("TOOLPOST_ASK".to_owned(), OsString::from("deny"))]);
            let sources =
                Sources::new(Flags::default(), variables).with_file("/c.toml".into(), text).unwrap();
            assert!(Settings::from_sources(&sources).is_err(), "{text}");
        }
    }
    let rows = [
        ("\n\nroots = []\n", "line 3: unknown key `roots`. Did you mean `root`?"),
        ("[agent]\nmodels = \"x\"\n", "line 2: unknown key `agent.models`. Did you mean `agent.model`?"),
        ("[agents]\nmodel = \"x\"\n", "line 1: unknown key `agents`"),
        ("ask = \n", "TOML parse error at line 1"),
    ];
    for (text, wanted) in rows {
        let said = file(text).err().unwrap().chain();
        assert!(said.starts_with("invalid configuration file /c.toml: ") && said.contains(wanted), "{said}");
    }
}

#[test]
fn doctor_shows_each_row_once() {
    let lines = Settings::defaults().lines();
    let keys: Vec<&str> = lines.iter().map(|line: &Line| line.key).collect();
    let wanted: Vec<&str> = described().iter().map(|setting| setting.row.key).collect();
    assert_eq!(keys, wanted);
    assert!(lines.iter().all(|line| !line.value.is_empty()), "{lines:?}");
}
