//! Tests that renaming a symbol changes only its proved occurrences, and that the rename can be undone.

use crate::common::{World, owned};
use std::time::Duration;
use toolpost_engine::{
    Fresh,
    operations::{
        change::{Change, ChangeTarget, Exact},
        rename_symbol::{Output, RenameSymbol, Request, SymbolRef},
    },
};
use toolpost_syntax::Language;
use toolpost_test_rows::each_async;
use toolpost_workspace::{Cause, ContentHash};

/// A file: name, content before, and expected content after; `None` if the content after is not compared.
type File = (&'static str, &'static str, Option<&'static str>);

/// The id of a symbol, its new name, and the files of the project.
type Row = (&'static str, &'static str, &'static [File]);

const ROWS: [Row; 18] = [
    (
        "python:cart.py#Cart.total(function)",
        "amount",
        &[
            (
                "cart.py",
                "class Cart:\n    def total(self):\n        return 'total'  # total\n\n\nclass Big(Cart):\n    def total(self):\n        return super().total()\n\n\ndef total():\n    return 1\n",
                Some(
                    "class Cart:\n    def amount(self):\n        return 'total'  # total\n\n\nclass Big(Cart):\n    def amount(self):\n        return super().amount()\n\n\ndef total():\n    return 1\n",
                ),
            ),
            (
                "use.py",
                "from cart import Cart, total\n\n\ndef use(cart: Cart):\n    cart.total()\n    total()\n    total_price = cart.total\n    return total_price\n",
                Some(
                    "from cart import Cart, total\n\n\ndef use(cart: Cart):\n    cart.amount()\n    total()\n    total_price = cart.amount\n    return total_price\n",
                ),
            ),
        ],
    ),
    (
        "typescript:cart.ts#total(function)",
        "sum",
        &[
            (
                "cart.ts",
                "export function total(x: number) {\n  return x\n}\nexport const api = { total }\nexport class Cart { total() { return `total ${total(1)}` } }\n",
                Some(
                    "export function sum(x: number) {\n  return x\n}\nexport const api = { total: sum }\nexport class Cart { total() { return `total ${sum(1)}` } }\n",
                ),
            ),
            (
                "use.ts",
                "import { total as count } from './cart'\nimport { total } from './cart'\nexport function f(cart: { total: number }) {\n  const other = { total: 1 }\n  return count(1) + total(2) + cart.total + other.total\n}\n",
                None,
            ),
        ],
    ),
    (
        "rust:src/lib.rs#Cart(struct)",
        "Basket",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n", None),
            (
                "src/lib.rs",
                "pub mod other;\n\npub struct Cart {\n    pub rows: u8,\n}\n\nimpl Cart {\n    pub fn new() -> Cart {\n        // A Cart.\n        Cart { rows: 1 }\n    }\n}\n",
                Some(
                    "pub mod other;\n\npub struct Basket {\n    pub rows: u8,\n}\n\nimpl Basket {\n    pub fn new() -> Basket {\n        // A Cart.\n        Basket { rows: 1 }\n    }\n}\n",
                ),
            ),
            (
                "src/other.rs",
                "use crate::Cart;\n\npub fn make(cart: &Cart) -> Option<Cart> {\n    let _ = \"Cart\";\n    Some(Cart::new())\n}\n",
                Some(
                    "use crate::Basket;\n\npub fn make(cart: &Basket) -> Option<Basket> {\n    let _ = \"Cart\";\n    Some(Basket::new())\n}\n",
                ),
            ),
        ],
    ),
    (
        "go:a.go#total(function)",
        "sum",
        &[
            ("go.mod", "module m\n", None),
            (
                "a.go",
                "package m\n\n// total adds.\nfunc total(n int) int { return n }\n\ntype Cart struct{}\n\nfunc (c Cart) total() int { return total(1) }\n",
                Some(
                    "package m\n\n// total adds.\nfunc sum(n int) int { return n }\n\ntype Cart struct{}\n\nfunc (c Cart) total() int { return sum(1) }\n",
                ),
            ),
            (
                "b.go",
                "package m\n\nfunc use(c Cart) int { return total(2) + c.total() }\n",
                Some("package m\n\nfunc use(c Cart) int { return sum(2) + c.total() }\n"),
            ),
        ],
    ),
    (
        "rust:src/lib.rs#Find(struct)",
        "Search",
        &[(
            "src/lib.rs",
            "pub struct Find(u32);\n\npub enum Command<'a> {\n    Find(Find),\n    Other(&'a Find),\n}\n\npub fn run(command: Command<'_>) -> u32 {\n    match command {\n        Command::Find(Find(number)) => number,\n        Command::Other(_) => 1,\n    }\n}\n",
            Some(
                "pub struct Search(u32);\n\npub enum Command<'a> {\n    Find(Search),\n    Other(&'a Search),\n}\n\npub fn run(command: Command<'_>) -> u32 {\n    match command {\n        Command::Find(Search(number)) => number,\n        Command::Other(_) => 1,\n    }\n}\n",
            ),
        )],
    ),
    (
        "rust:src/options.rs#When(enum)",
        "Moment",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n", None),
            ("src/lib.rs", "pub mod options;\n", None),
            (
                "src/options.rs",
                "pub enum When { Always, Never }\n",
                Some("pub enum Moment { Always, Never }\n"),
            ),
            (
                "src/main.rs",
                "use shop::options::When::{self, Always};\nuse shop::{options::When::Never};\n\nfn main() {\n    let when: When = Always;\n    drop((when, Never));\n}\n",
                Some(
                    "use shop::options::Moment::{self, Always};\nuse shop::{options::Moment::Never};\n\nfn main() {\n    let when: Moment = Always;\n    drop((when, Never));\n}\n",
                ),
            ),
        ],
    ),
    (
        "go:b.go#node(struct)",
        "item",
        &[
            ("go.mod", "module m\n", None),
            (
                "b.go",
                "package m\n\ntype node struct {\n\tnode *node\n}\n\nfunc f(node node) *node {\n\treturn node.node\n}\n",
                Some(
                    "package m\n\ntype item struct {\n\tnode *item\n}\n\nfunc f(node item) *item {\n\treturn node.node\n}\n",
                ),
            ),
        ],
    ),
    (
        "typescript:find.ts#Find(interface)",
        "Search",
        &[(
            "find.ts",
            "export interface Find { a: number }\nexport interface A { Find: Find }\nexport class K {\n  Find?: Find\n  m(Find: Find): number { return Find.a }\n}\n",
            Some(
                "export interface Search { a: number }\nexport interface A { Find: Search }\nexport class K {\n  Find?: Search\n  m(Find: Search): number { return Find.a }\n}\n",
            ),
        )],
    ),
    (
        "java:Cart.java#Cart(class)",
        "Basket",
        &[
            (
                "Cart.java",
                "class Cart {\n  Cart() {}\n  Cart same() { return new Cart(); }\n}\n",
                Some("class Basket {\n  Basket() {}\n  Basket same() { return new Basket(); }\n}\n"),
            ),
            (
                "Use.java",
                "class Use {\n  int Cart;\n  void use(Cart c) { String s = \"Cart\"; new Cart().same(); }\n}\n",
                None,
            ),
        ],
    ),
    (
        "c:cart.c#total(function)",
        "sum",
        &[
            ("cart.h", "int total(int x);\n", Some("int sum(int x);\n")),
            (
                "cart.c",
                "#include \"cart.h\"\n\nint total(int x) { return x; }\n",
                Some("#include \"cart.h\"\n\nint sum(int x) { return x; }\n"),
            ),
            (
                "use.c",
                "#include \"cart.h\"\n\nint use(void) { return total(1); } /* total */\n",
                Some("#include \"cart.h\"\n\nint use(void) { return sum(1); } /* total */\n"),
            ),
        ],
    ),
    (
        "python:a.py#run(function)",
        "go",
        &[(
            "a.py",
            "def run():\r\n    pass\r\n\r\n\r\nrun()\r\n",
            Some("def go():\r\n    pass\r\n\r\n\r\ngo()\r\n"),
        )],
    ),
    (
        "javascript:a.js#go(function)",
        "run",
        &[
            (
                "a.js",
                "export default function go() {}\ngo()\n",
                Some("export default function run() {}\nrun()\n"),
            ),
            ("b.js", "import go from './a'\ngo()\n", None),
        ],
    ),
    (
        "javascript:a.js#go(function)",
        "run",
        &[
            (
                "a.js",
                "function go() {}\ngo()\nexport default go\n",
                Some("function run() {}\nrun()\nexport default run\n"),
            ),
            ("b.js", "import go from './a'\ngo()\n", Some("import go from './a'\ngo()\n")),
        ],
    ),
    (
        "javascript:use.js#build(variable)",
        "make",
        &[
            (
                "lib.js",
                "function build() {}\nfunction other() {}\nmodule.exports = { build, other }\n",
                Some("function build() {}\nfunction other() {}\nmodule.exports = { build, other }\n"),
            ),
            (
                "use.js",
                "const { build, other } = require('./lib')\n\nfunction run() {\n  return [build, build(other)]\n}\n",
                Some(
                    "const { build: make, other } = require('./lib')\n\nfunction run() {\n  return [make, make(other)]\n}\n",
                ),
            ),
        ],
    ),
    (
        "javascript:use.js#path(variable)",
        "paths",
        &[(
            "use.js",
            "const path = require('node:path')\n\nfunction run(name) {\n  return path.join(name, path.sep)\n}\n",
            Some(
                "const paths = require('node:path')\n\nfunction run(name) {\n  return paths.join(name, paths.sep)\n}\n",
            ),
        )],
    ),
    (
        "javascript:use.js#bn(variable)",
        "base",
        &[(
            "use.js",
            "const { basename: bn } = require('path')\n\nfunction run(name) {\n  return bn(name)\n}\n",
            Some(
                "const { basename: base } = require('path')\n\nfunction run(name) {\n  return base(name)\n}\n",
            ),
        )],
    ),
    (
        "javascript:a.js#bye(function)",
        "leave",
        &[
            (
                "a.js",
                "function greet() {}\nfunction bye(name) { return name }\nmodule.exports = { greet, bye }\n",
                Some(
                    "function greet() {}\nfunction leave(name) { return name }\nmodule.exports = { greet, leave }\n",
                ),
            ),
            (
                "b.js",
                "const a = require('./a')\na.bye('x')\na.greet('bye')\n",
                Some("const a = require('./a')\na.leave('x')\na.greet('bye')\n"),
            ),
        ],
    ),
    (
        "python:pkg/core.py#work(function)",
        "zap",
        &[
            ("pkg/core.py", "def work():\n    pass\n", Some("def zap():\n    pass\n")),
            ("pkg/__init__.py", "from .core import work as work\n", Some("from .core import zap as zap\n")),
            ("use.py", "import pkg\n\npkg.work()\n", Some("import pkg\n\npkg.zap()\n")),
        ],
    ),
];

#[tokio::test]
async fn rename_edits_proved_occurrences_and_one_undo_reverts_it() {
    each_async(ROWS, async |(id, new, files)| {
        let before: Vec<(&str, &str)> = files.iter().map(|(name, text, _)| (*name, *text)).collect();
        let world = World::new(&before);
        let plan = plan(&world, id, new).await.unwrap();
        apply(&world, &plan).await;
        for (name, old, wanted) in files {
            let found = std::fs::read_to_string(world.at(name)).unwrap();
            // Without an expected content, only the number of syntax errors is compared.
            if let Some(wanted) = wanted {
                assert_eq!(found, **wanted, "{id} {name} {:?}", plan.possible);
            }
            let broken = |text: &str| {
                Language::of_path(std::path::Path::new(name))
                    .map(|language| language.parse(text).unwrap().errors().len())
            };
            assert_eq!(broken(&found), broken(old), "{id} {name}");
        }
        let history = world.engine.workspace().history().unwrap();
        let record = history.last_in_force().unwrap();
        history.undo(&record, &Cause::default(), Duration::from_secs(5)).unwrap();
        let mut wanted = owned(&before);
        wanted.sort();
        assert_eq!(world.files(), wanted, "{id}");
    })
    .await;
}

#[tokio::test]
async fn unproved_occurrences_are_listed_and_not_edited() {
    let world = World::new(&[
        (
            "a.py",
            "class A:\n    def run(self): ...\n\n\nclass B:\n    def run(self): ...\n\n\ndef use(x, a: A):\n    x.run()\n    a.run()\n    go(run=1)\n    return 'run'\n",
        ),
        ("b.js", "x.run()\n"),
    ]);
    let plan = plan(&world, "python:a.py#A.run(function)", "walk").await.unwrap();
    let spots = |all: &[toolpost_engine::operations::rename_symbol::UneditedOccurrence]| {
        all.iter().map(|spot| (spot.path.clone(), spot.line)).collect::<Vec<_>>()
    };
    assert_eq!(spots(&plan.possible), [("a.py".to_owned(), 10), ("a.py".to_owned(), 12)]);
    assert_eq!(spots(&plan.text), [("a.py".to_owned(), 13)]);
    assert_eq!((plan.files.len(), plan.files[0].edits.len(), plan.others), (1, 2, 1));
}

/// The index records only the last name of the path of a Java import, and a class may be another part of the path.
#[tokio::test]
async fn parts_of_import_paths_are_possible_uses() {
    let world = World::new(&[
        ("p/Box.java", "package p;\n\npublic class Box {\n  public static class Lid {}\n}\n"),
        ("p/Use.java", "package p;\n\nimport p.Box.Lid;\n\nclass Use {\n  Lid lid;\n}\n"),
    ]);
    let plan = plan(&world, "java:p/Box.java#Box(class)", "Crate").await.unwrap();
    let possible: Vec<(&str, usize)> =
        plan.possible.iter().map(|spot| (spot.path.as_str(), spot.line)).collect();
    assert_eq!((possible, plan.others), (vec![("p/Use.java", 3)], 0));
}

#[tokio::test]
async fn patterns_that_take_a_symbol_from_its_module_are_possible_uses() {
    let users = [
        ("a.js", "var one = require('./u').one\n"),
        ("b.js", "const {one} = require('./u')\none()\n"),
        ("c.js", "function f() {\n  const {one} = require('./u')\n  return one()\n}\n"),
        ("d.js", "const {one: other} = require('./u')\n"),
        ("e.js", "const u = require('./u')\nu.one()\n"),
        ("f.js", "const f = async () => {\n  const {two, one} = await import('./u.js')\n}\n"),
        ("g.js", "const f = ({one}) => one()\nf(require('./u'))\n"),
        ("h.ts", "const {one} = require('./u')\n"),
    ];
    let rows = [
        ("exports.one = function () {}\n", "javascript:u.js#exports.one(function)"),
        ("exports.one = () => 1\n", "javascript:u.js#exports.one(function)"),
        ("module.exports.one = function () {}\n", "javascript:u.js#module.exports.one(function)"),
        ("function one() {}\nmodule.exports = {one}\n", "javascript:u.js#one(function)"),
        ("export function one() {}\n", "javascript:u.js#one(function)"),
    ];
    each_async(rows, async |(text, id)| {
        let world = World::new(&[&users[..], &[("u.js", text)]].concat());
        let plan = plan(&world, id, "uno").await.unwrap();
        let possible = plan.possible.iter().map(|spot| (spot.path.as_str(), spot.line));
        let edited =
            plan.files.iter().flat_map(|file| file.edits.iter().map(|edit| (file.path.as_str(), edit.line)));
        let found: Vec<(&str, usize)> = possible.chain(edited).collect();
        let wanted =
            users.map(|(path, user)| (path, 1 + user.lines().position(|line| line.contains("one")).unwrap()));
        let missing: Vec<_> = wanted.iter().filter(|place| !found.contains(place)).collect();
        assert!(missing.is_empty(), "{id}: {missing:?} {found:?}");
    })
    .await;
    let world = World::new(&[
        ("u.js", "function one() {}\nconst {two} = {}\none()\n"),
        ("v.js", "const one = 1\nexport const all = [one]\n"),
    ]);
    let plan = plan(&world, "javascript:u.js#one(function)", "uno").await.unwrap();
    assert_eq!((plan.possible.len(), plan.others), (0, 2));
}

/// The files of a project, the id of a symbol, and the locations of its possible and its edited occurrences.
type KeptName = (
    &'static [(&'static str, &'static str)],
    &'static str,
    &'static [(&'static str, usize)],
    &'static [(&'static str, usize)],
);

const KEPT_NAMES: [KeptName; 4] = [
    (
        &[
            ("a.js", "function one() {}\nmodule.exports = { one }\n"),
            ("b.js", "const { one } = require('./a')\none()\n"),
        ],
        "javascript:a.js#one(function)",
        &[("b.js", 1), ("b.js", 2)],
        &[("a.js", 1), ("a.js", 2)],
    ),
    (
        &[
            ("a.js", "function one() {}\nexports.one = one\n"),
            ("b.js", "const a = require('./a')\na.one()\n"),
        ],
        "javascript:a.js#one(function)",
        &[("a.js", 2), ("b.js", 2)],
        &[("a.js", 1), ("a.js", 2)],
    ),
    (
        &[
            ("a.js", "export default function One() {}\n"),
            ("b.js", "import { One } from './index'\nOne()\n"),
            ("index.js", "export { default as One } from './a'\n"),
        ],
        "javascript:a.js#One(function)",
        &[("b.js", 1), ("b.js", 2)],
        &[("a.js", 1)],
    ),
    (
        &[("a.py", "def one(): ...\n\n\n__all__: list[str] = [\"one\"]\n")],
        "python:a.py#one(function)",
        &[("a.py", 4)],
        &[("a.py", 1)],
    ),
];

#[tokio::test]
async fn occurrences_that_depend_on_a_name_that_stays_are_possible_uses() {
    each_async(KEPT_NAMES, async |(files, id, possible, edited)| {
        let world = World::new(files);
        let plan = plan(&world, id, "uno").await.unwrap();
        let mut found: Vec<(&str, usize)> =
            plan.possible.iter().map(|spot| (spot.path.as_str(), spot.line)).collect();
        found.sort_unstable();
        assert_eq!(found, possible, "{id}");
        let mut found: Vec<(&str, usize)> = plan
            .files
            .iter()
            .flat_map(|file| file.edits.iter().map(|edit| (file.path.as_str(), edit.line)))
            .collect();
        found.sort_unstable();
        assert_eq!(found, edited, "{id}");
    })
    .await;
}

#[tokio::test]
async fn a_rename_that_would_change_the_program_is_refused() {
    let rows: [(&str, &str, &str, &str, &str); 7] = [
        (
            "a.py",
            "def run(): ...\ndef go(): ...\n",
            "python:a.py#run(function)",
            "go",
            "uses the name go already",
        ),
        (
            "a.py",
            "class A:\n    def run(self): ...\n    def go(self): ...\n",
            "python:a.py#A.run(function)",
            "go",
            "already exists",
        ),
        ("a.py", "def run(): ...\n", "python:a.py#run(function)", "class", "would no longer parse"),
        ("a.py", "def run(): ...\n", "python:a.py#run(function)", "a b", "is not a valid name"),
        (
            "a.py",
            "class A:\n    def __len__(self): ...\n",
            "python:a.py#A.__len__(function)",
            "size",
            "must stay",
        ),
        (
            "a.py",
            "from json import JSONEncoder\nclass A(JSONEncoder):\n    def default(self, o): ...\n",
            "python:a.py#A.default(function)",
            "other",
            "inherits from a type that is not in the workspace",
        ),
        (
            "a.go",
            "package a\n\nfunc Run() {}\n",
            "go:a.go#Run(function)",
            "run",
            "the visibility of the symbol",
        ),
    ];
    each_async(rows, async |(name, text, id, new, why)| {
        let world = World::new(&[(name, text)]);
        let found = match plan(&world, id, new).await {
            Ok(plan) => plan.conflicts.join(" "),
            Err(failure) => failure.what,
        };
        assert!(found.contains(why), "{id} -> {new}: {found:?}");
    })
    .await;
}

async fn plan(world: &World, id: &str, new: &str) -> Result<Output, toolpost_engine::Failure> {
    let request = Request { which: SymbolRef::Id(id.to_owned()), new_name: new.to_owned() };
    world.run::<RenameSymbol>(request, world.cx(Fresh::NOT_ASKED)).await
}

async fn apply(world: &World, plan: &Output) {
    let changes = plan.files.iter().flat_map(|file| {
        let of = ContentHash::from_hex(&file.hash).unwrap();
        file.edits.iter().map(move |edit| Change {
            path: world.engine.resolve(&file.path).unwrap(),
            at: ChangeTarget::Exact(Exact { from: edit.from, to: edit.to, of }),
            text: edit.text.clone(),
        })
    });
    assert_eq!(plan.conflicts, Vec::<String>::new());
    world.change(changes.collect(), Fresh::NOT_ASKED).await.unwrap();
}
