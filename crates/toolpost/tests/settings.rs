//! The table of settings: every row by flag, variable and key, in order of precedence, and in the documentation.

use std::{collections::HashMap, ffi::OsString, path::PathBuf};
use toolpost::settings::{
    Flags, Settings, Shape, Sources,
    reference::line,
    table::{Line, SettingDescription, ValueCount, described},
};
use toolpost_test_rows::each;

/// Returns the value of a setting and its origin.
fn value(setting: &SettingDescription, sources: Sources) -> (String, String) {
    let settings = Settings::from_sources(&sources).unwrap();
    let line = settings.lines().into_iter().find(|line| line.key == setting.row.key).unwrap();
    (line.value, line.origin)
}

/// The example of a row as values of its flag.
fn flags(setting: &SettingDescription) -> Flags {
    let mut flags = Flags::default();
    let texts: Vec<OsString> = match setting.shape {
        Shape::Commas => setting.row.example.split(',').map(OsString::from).collect(),
        Shape::Colons => setting.row.example.split(':').map(OsString::from).collect(),
        Shape::Text | Shape::Number | Shape::Words => vec![setting.row.example.into()],
    };
    flags.set(setting.row, texts);
    flags
}

fn variables(setting: &SettingDescription, text: &str) -> HashMap<String, OsString> {
    HashMap::from([(setting.row.variable.to_owned(), text.into())])
}

/// The example as a line of the configuration file.
fn file(setting: &SettingDescription) -> String {
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
fn flag_variable_and_key_of_a_setting_set_the_same_value() {
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
fn setting_precedence_is_flag_variable_file() {
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
fn setting_names_are_unique_and_documented() {
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
fn only_switch_flags_take_no_value() {
    for setting in described() {
        let Some(flag) = setting.row.flag else { continue };
        assert_eq!(flag.takes == ValueCount::Nothing, flag.value.is_empty(), "{}", setting.row.key);
        let list = matches!(setting.shape, Shape::Commas | Shape::Colons);
        assert_eq!(
            list,
            matches!(flag.takes, ValueCount::Many | ValueCount::ManyByComma),
            "{}",
            setting.row.key
        );
    }
}

#[test]
fn invalid_setting_values_name_their_source() {
    let variable = |name: &str, text: &str| {
        Sources::new(Flags::default(), HashMap::from([(name.to_owned(), text.into())]))
    };
    let file = |text: &str| Sources::default().with_file(PathBuf::from("/c.toml"), text);
    let read = |sources: Sources| Settings::from_sources(&sources).unwrap_err().chain();
    assert_eq!(
        read(variable("TOOLPOST_ASK", "maybe")),
        "TOOLPOST_ASK is `maybe`: the value must be one of allow, deny, prompt"
    );
    assert_eq!(
        read(variable("TOOLPOST_REPLY_BYTES", "10")),
        "TOOLPOST_REPLY_BYTES is `10`: the reply limit must be at least 2048 bytes"
    );
    let rows = [
        ("ask = \"maybe\"\n", "`ask`: the value must be one of allow, deny, prompt"),
        ("ask = 1\n", "`ask`: the value must be a string in quotes"),
        ("dialect = \"claude\"\n", "`dialect`: the value must be a list of strings, such as [\"a\", \"b\"]"),
        ("reply_bytes = \"4000\"\n", "`reply_bytes`: the value must be a number"),
        ("[agent]\nwindow = 0\n", "`agent.window`: the value must be more than 0"),
    ];
    each(rows, |(text, wanted)| {
        let message = read(file(text).unwrap());
        assert_eq!(message, format!("invalid configuration file /c.toml: {wanted}"), "{text}");
        // An invalid value in the file is an error even if another source overrides it.
        if text.starts_with("ask") {
            let variables = HashMap::from([("TOOLPOST_ASK".to_owned(), OsString::from("deny"))]);
            let sources =
                Sources::new(Flags::default(), variables).with_file("/c.toml".into(), text).unwrap();
            assert!(Settings::from_sources(&sources).is_err(), "{text}");
        }
    });
    let rows = [
        ("\n\nroots = []\n", "line 3: unknown key `roots`. Did you mean `root`?"),
        ("[agent]\nmodels = \"x\"\n", "line 2: unknown key `agent.models`. Did you mean `agent.model`?"),
        ("[agents]\nmodel = \"x\"\n", "line 1: unknown key `agents`"),
        ("ask = \n", "TOML parse error at line 1"),
    ];
    each(rows, |(text, wanted)| {
        let message = file(text).err().unwrap().chain();
        assert!(
            message.starts_with("invalid configuration file /c.toml: ") && message.contains(wanted),
            "{message}"
        );
    });
}

#[test]
fn errors_name_the_key_of_the_invalid_setting() {
    let sources = [
        (Sources::new(Flags::default(), HashMap::from([("TOOLPOST_ASK".to_owned(), "maybe".into())])), "ask"),
        (with_file(Flags::default(), HashMap::new(), "[agent]\nwindow = 0\n"), "agent.window"),
    ];
    for (sources, key) in sources {
        assert_eq!(Settings::from_sources(&sources).unwrap_err().setting(), Some(key));
    }
    let unknown = Sources::default().with_file(PathBuf::from("/c.toml"), "roots = []\n").err().unwrap();
    assert_eq!(unknown.setting(), None, "{unknown}");
}

#[test]
fn doctor_lists_each_setting_once() {
    let lines = Settings::defaults().lines();
    let keys: Vec<&str> = lines.iter().map(|line: &Line| line.key).collect();
    let wanted: Vec<&str> = described().iter().map(|setting| setting.row.key).collect();
    assert_eq!(keys, wanted);
    assert!(lines.iter().all(|line| !line.value.is_empty()), "{lines:?}");
}

#[test]
fn urls_of_settings_are_shown_without_credentials() {
    let canary = "https://me:CANARY-1@host.example/v1?key=CANARY-2&password=CANARY-2#CANARY-3";
    let is_url = |setting: &&SettingDescription| {
        let row = setting.row;
        row.example.contains("://") || row.help.contains("://") || row.help.starts_with("URL")
    };
    let settings = described();
    let urls: Vec<&SettingDescription> = settings.iter().filter(is_url).collect();
    let keys: Vec<&str> = urls.iter().map(|setting| setting.row.key).collect();
    let known = ["agent.base_url", "codesearch.base_url", "embedding", "index"];
    assert!(known.iter().all(|key| keys.contains(key)), "{keys:?}");
    for setting in urls {
        let text = canary.replace("https:", if setting.row.key == "index" { "postgres:" } else { "https:" });
        let (shown, _) = value(setting, Sources::new(Flags::default(), variables(setting, &text)));
        assert!(!shown.contains("CANARY") && !shown.is_empty(), "{}: {shown}", setting.row.key);
    }
}
