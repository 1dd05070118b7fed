//! Generates the tables of all languages from the directories in `languages/`.

use serde::Deserialize;
use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The query files in a language's directory.
const QUERIES: [&str; 3] = ["references.scm", "imports.scm", "scopes.scm"];

/// The language that every build includes, because the access policy parses shell commands.
const ALWAYS: &str = "bash";

/// The content of a `language.toml`; `languages/README.md` explains each key.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Language {
    name: String,
    grammar: String,
    like: Option<String>,
    #[serde(default)]
    queries: Vec<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    extensions: Vec<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    attributes: Vec<String>,
    #[serde(default)]
    wrappers: Vec<String>,
    #[serde(default)]
    flat: Vec<String>,
    #[serde(default)]
    callables: Vec<String>,
    #[serde(default = "values")]
    values: Vec<String>,
    #[serde(default = "hints")]
    hints: Vec<String>,
    #[serde(default)]
    patterns: BTreeMap<String, String>,
    #[serde(default)]
    modifiers: Vec<String>,
    #[serde(default)]
    shells: Vec<(String, String)>,
    #[serde(default = "bare")]
    frames: Vec<(String, String)>,
    #[serde(default = "bare")]
    holes: Vec<(String, String)>,
    #[serde(default = "ended")]
    many: (String, String),
    #[serde(default)]
    filler: String,
    overloads: Option<String>,
    #[serde(default)]
    merge: bool,
    #[serde(default = "code")]
    sort: String,
    #[serde(default = "dollar")]
    meta: char,
    #[serde(default)]
    items: BTreeMap<String, Item>,
    headings: Option<Headings>,
    #[serde(default)]
    shapes: Shapes,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Item {
    kind: String,
    #[serde(default = "name")]
    name: String,
    #[serde(default = "body")]
    body: Vec<String>,
    #[serde(default)]
    refine: BTreeMap<String, BTreeMap<String, String>>,
    without_body: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Headings {
    nodes: Vec<String>,
    text: String,
    levels: BTreeMap<String, usize>,
}

#[derive(Deserialize, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct Shapes {
    member: BTreeMap<String, (String, String)>,
    call: BTreeMap<String, Vec<String>>,
    new: BTreeMap<String, String>,
    makers: Vec<String>,
    index: BTreeMap<String, String>,
    through: Vec<String>,
    own: Vec<String>,
    above: Vec<String>,
    literals: BTreeMap<String, String>,
    prefixes: BTreeMap<String, String>,
}

fn values() -> Vec<String> {
    vec!["value".to_owned(), "right".to_owned()]
}

fn hints() -> Vec<String> {
    ["return_type", "type", "result", "returns"].map(str::to_owned).to_vec()
}

fn code() -> String {
    "code".to_owned()
}

fn dollar() -> char {
    '$'
}

fn bare() -> Vec<(String, String)> {
    vec![(String::new(), String::new())]
}

fn ended() -> (String, String) {
    (String::new(), ";".to_owned())
}

fn name() -> String {
    "name".to_owned()
}

fn body() -> Vec<String> {
    vec!["body".to_owned()]
}

fn main() -> Result<(), Box<dyn Error>> {
    let folders = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("languages");
    println!("cargo::rerun-if-changed={}", folders.display());
    let mut all = languages(&folders)?;
    if std::env::var_os("CARGO_FEATURE_GRAMMARS").is_none() {
        all.retain(|folder, _| folder == ALWAYS);
    }
    let mut out = String::new();
    for language in all.values() {
        write_language(&mut out, &all, language, &folders)?;
    }
    writeln!(out, "pub(crate) static ALL: &[&Grammar] = &[")?;
    for folder in all.keys() {
        writeln!(out, "    &{},", folder.to_uppercase())?;
    }
    writeln!(out, "];")?;
    let place = PathBuf::from(std::env::var("OUT_DIR")?).join("languages.rs");
    #[expect(clippy::disallowed_methods, reason = "a build script writes generated code to `OUT_DIR`")]
    std::fs::write(place, out)?;
    Ok(())
}

/// Reads the `language.toml` of all languages, by the name of the directory.
fn languages(folders: &Path) -> Result<BTreeMap<String, Language>, Box<dyn Error>> {
    let mut all = BTreeMap::new();
    #[expect(clippy::disallowed_methods, reason = "a build script reads the sources of its crate")]
    for entry in std::fs::read_dir(folders)? {
        let folder = entry?.file_name().to_string_lossy().into_owned();
        let table = folders.join(&folder).join("language.toml");
        if folder.contains('.') || folder.starts_with('_') {
            continue;
        }
        println!("cargo::rerun-if-changed={}", folders.join(&folder).display());
        println!("cargo::rerun-if-changed={}", table.display());
        let text = std::fs::read_to_string(&table)?;
        let language: Language =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", table.display()))?;
        if language.name != folder {
            return Err(format!("{}: `name` differs from the name of the directory", table.display()).into());
        }
        all.insert(folder, language);
    }
    Ok(all)
}

/// Writes one table as a static.
fn write_language(
    out: &mut String,
    all: &BTreeMap<String, Language>,
    own: &Language,
    folders: &Path,
) -> Result<(), Box<dyn Error>> {
    let table = match &own.like {
        None => own,
        Some(like) => {
            all.get(like).ok_or_else(|| format!("{}: unknown language in `like`: {like}", own.name))?
        }
    };
    writeln!(out, "static {}: Grammar = Grammar {{", own.name.to_uppercase())?;
    writeln!(
        out,
        "    name: {:?}, aliases: &{:?}, extensions: &{:?},",
        own.name, own.aliases, own.extensions
    )?;
    writeln!(out, "    files: &{:?}, load: || {}.into(),", own.files, own.grammar)?;
    writeln!(out, "    comments: &{:?}, attributes: &{:?},", table.comments, table.attributes)?;
    writeln!(out, "    wrappers: &{:?}, flat: &{:?},", table.wrappers, table.flat)?;
    writeln!(out, "    callables: &{:?}, values: &{:?},", table.callables, table.values)?;
    writeln!(out, "    hints: &{:?}, modifiers: &{:?},", table.hints, table.modifiers)?;
    let patterns: Vec<(&String, &String)> = table.patterns.iter().collect();
    writeln!(out, "    patterns: &{patterns:?},")?;
    writeln!(out, "    shells: &{:?}, filler: {:?},", table.shells, table.filler)?;
    writeln!(out, "    frames: &{:?}, holes: &{:?}, many: {:?},", table.frames, table.holes, table.many)?;
    let overloads = table.overloads.as_ref();
    let overloads = overloads.map_or("None".to_owned(), |kind| format!("ByType({kind:?})"));
    let merges = if table.merge { "ByTree" } else { "ByLines" };
    writeln!(out, "    overloads: Overloads::{overloads}, merges: Merges::{merges},")?;
    writeln!(out, "    sort: LanguageKind::{}, meta: {:?},", capital(&table.sort), table.meta)?;
    write_items(out, table)?;
    write_shapes(out, &table.shapes)?;
    write_queries(out, &own.name, table, folders)?;
    writeln!(out, "    compiled: OnceLock::new(),\n}};")?;
    Ok(())
}

/// Writes the rules for the items and headings of a language.
fn write_items(out: &mut String, table: &Language) -> Result<(), Box<dyn Error>> {
    writeln!(out, "    rules: &[")?;
    for (node, item) in &table.items {
        let refine = item.refine.iter().flat_map(|(field, kinds)| {
            kinds.iter().map(move |(child, kind)| format!("({field:?}, {child:?}, Kind::{})", capital(kind)))
        });
        let refine: Vec<String> = refine.collect();
        let bare = item.without_body.as_ref();
        let bare = bare.map_or("None".to_owned(), |kind| format!("Some(Kind::{})", capital(kind)));
        writeln!(
            out,
            "        Rule {{ node: {node:?}, kind: Kind::{}, name: {}, body: &{:?}, refine: &[{}], without_body: {bare} }},",
            capital(&item.kind),
            named(&item.name)?,
            item.body,
            refine.join(", ")
        )?;
    }
    writeln!(out, "    ],")?;
    match &table.headings {
        None => writeln!(out, "    headings: None,")?,
        Some(headings) => {
            let levels: Vec<(&String, &usize)> = headings.levels.iter().collect();
            let (nodes, text) = (&headings.nodes, &headings.text);
            writeln!(
                out,
                "    headings: Some(Headings {{ nodes: &{nodes:?}, text: {text:?}, levels: &{levels:?} }}),"
            )?;
        }
    }
    Ok(())
}

/// Writes the node kinds of the expressions of a language.
fn write_shapes(out: &mut String, shapes: &Shapes) -> Result<(), Box<dyn Error>> {
    let pairs = |map: &BTreeMap<String, String>| format!("{:?}", map.iter().collect::<Vec<_>>());
    let member: Vec<(&String, &String, &String)> =
        shapes.member.iter().map(|(node, (object, name))| (node, object, name)).collect();
    let call = shapes.call.iter().map(|(node, fields)| match fields.as_slice() {
        [function] => Ok(format!("({node:?}, Callee::Function({function:?}))")),
        [object, name] => Ok(format!("({node:?}, Callee::Method({object:?}, {name:?}))")),
        _ => Err(format!("in `call` of `[shapes]`, the node {node} must have one or two fields")),
    });
    let call: Vec<String> = call.collect::<Result<_, _>>()?;
    writeln!(out, "    shapes: Shapes {{ member: &{member:?}, call: &[{}],", call.join(", "))?;
    writeln!(out, "        new: &{}, index: &{},", pairs(&shapes.new), pairs(&shapes.index))?;
    writeln!(out, "        makers: &{:?},", shapes.makers)?;
    writeln!(
        out,
        "        through: &{:?}, own: &{:?}, above: &{:?},",
        shapes.through, shapes.own, shapes.above
    )?;
    writeln!(
        out,
        "        literals: &{}, prefixes: &{} }},",
        pairs(&shapes.literals),
        pairs(&shapes.prefixes)
    )?;
    Ok(())
}

/// Writes the queries of a language: those of other languages that it includes, then its own.
fn write_queries(
    out: &mut String,
    folder: &str,
    table: &Language,
    folders: &Path,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "    queries: &[")?;
    for of in table.queries.iter().map(String::as_str).chain([folder]) {
        for name in QUERIES {
            let file = folders.join(of).join(name);
            #[expect(clippy::disallowed_methods, reason = "a build script reads the sources of its crate")]
            if file.is_file() {
                println!("cargo::rerun-if-changed={}", file.display());
                writeln!(out, "        ({:?}, include_str!({:?})),", format!("{of}/{name}"), file)?;
            }
        }
    }
    writeln!(out, "    ],")?;
    Ok(())
}

/// Converts the `name` of an item in a language's table to the Rust code of a `Name`. It is a field or a rule such as
/// `@first`, and determines where in a syntax node the item's name is.
fn named(said: &str) -> Result<String, String> {
    let Some(how) = said.strip_prefix('@') else { return Ok(format!("Name::Field({said:?})")) };
    let (how, rest) = how.split_once(':').unwrap_or((how, ""));
    Ok(match how {
        "text" | "none" | "declarator" | "receiver" | "first" | "head" | "tag" => {
            format!("Name::{}", capital(how))
        }
        "within" | "path" | "at" => format!("Name::{}({rest:?})", capital(how)),
        "child" => {
            let (kind, default) = rest.split_once('/').unwrap_or((rest, ""));
            format!("Name::Child({kind:?}, {default:?})")
        }
        "joined" => {
            let [first, word, second] = rest.split(" / ").collect::<Vec<_>>()[..] else {
                return Err(format!("`@joined` needs three parts, as in `@joined:A / word / B`: {said}"));
            };
            format!("Name::Joined({first:?}, {word:?}, {second:?})")
        }
        _ => return Err(format!("the `name` of an item has an unknown form: {said}")),
    })
}

/// Returns a word with its first letter in upper case, as in the names of enum variants.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
