//! `toolpost symbols`, with the built program.

use crate::common;
use toolpost_test_rows::each;

use common::World;
use serde_json::{Value, json};

fn world() -> World {
    World::with(&[
        (
            "shop/cart.py",
            b"from shop.price import cents\n\n\nclass Cart:\n    def total(self) -> int:\n        return \
              cents(3)\n\n\n\
              def checkout(cart: Cart):\n    return cart.total()\n",
        ),
        (
            "shop/price.py",
            b"def cents(count: int) -> int:\n    return count * 5\n\n\ndef other():\n    pass\n",
        ),
        ("shop/more.py", b"def other():\n    pass\n"),
        ("notes.txt", b"words\n"),
    ])
}

#[test]
#[expect(clippy::too_many_lines, reason = "rows")]
fn symbols_commands_print_lines_of_text() {
    let world = world();
    let searched = "Searched: 3 python files.";
    let rows: [(&[&str], i32, String); 9] = [
        (
            &["outline", "shop/cart.py"],
            0,
            "     4  class  class Cart:\n     5    function  def total(self) -> int:\n     9  function  def \
             checkout(cart: Cart):\n"
                .to_owned(),
        ),
        (
            &["find", "Cart.tot"],
            0,
            "shop/cart.py:5  function Cart.total  def total(self) -> int:\n".to_owned(),
        ),
        (&["find", "centz"], 1, format!("No symbol has this name. Similar names: cents. {searched}\n")),
        (
            &["callers", "total"],
            0,
            format!(
                "shop/cart.py:10  checkout  proved, typed  return cart.total()\n\
                 1 proved, 0 inferred, 0 possible; 0 locations unresolved. Complete: nothing else calls this name. {searched}\n"
            ),
        ),
        (
            &["callees", "shop/cart.py#Cart.total"],
            0,
            format!(
                "shop/cart.py:6  cents (shop/price.py:1)  proved, import  return cents(3)\n\
                 1 proved, 0 inferred, 0 possible; 0 locations unresolved. {searched}\n"
            ),
        ),
        (
            &["callees", "python:shop/price.py#cents(function)"],
            0,
            format!(
                "No callees are known.\n\
                 0 proved, 0 inferred, 0 possible; 0 locations unresolved. {searched}\n"
            ),
        ),
        (
            &["callers", "other"],
            0,
            ["python:shop/more.py#other(function)  shop/more.py:1", "python:shop/price.py#other(function)  shop/price.py:5"]
                .map(|symbol| {
                    format!(
                        "{symbol}\n  No callers are known.\n  0 proved, 0 inferred, 0 possible; 0 locations unresolved. \
                         Complete: nothing else calls this name. {searched}\n"
                    )
                })
                .concat(),
        ),
        (&["callers", "centz"], 1, format!("No symbol is called centz. {searched} Similar names: cents.\n")),
        (
            &["outline", "notes.txt"],
            1,
            "There is no parser for notes.txt: its file name matches no supported language.\n\
             Use line numbers or quote the current text instead, or read the file.\n"
                .to_owned(),
        ),
    ];
    each(rows, |(arguments, code, wanted)| {
        let ended = world.run(&[&["symbols"], arguments].concat());
        let printed = if code == 0 { &ended.out } else { &ended.err };
        assert_eq!((ended.code, printed), (Some(code), &wanted), "{arguments:?} {}", ended.err);
    });
}

#[test]
fn symbols_commands_print_json() {
    let world = world();
    let ended = world.run(&["symbols", "callers", "--json", "cents"]);
    let output: Value = serde_json::from_str(&ended.out).unwrap();
    let first = &output["incoming"]["uses"][0];
    assert_eq!(
        (&first["symbol"]["id"], &first["line"], &first["sure"]),
        (&json!("python:shop/cart.py#Cart.total(function)"), &json!(6), &json!("proved"))
    );
    assert_eq!(output.get("outgoing"), None);
    let ended = world.run(&["symbols", "callees", "--json", "cents"]);
    let output: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((output.get("incoming"), &output["outgoing"]["proved"]), (None, &json!(0)));
    let ended =
        world.run(&["symbols", "find", "--json", "--kind", "class", "--path", "shop", "--limit", "1", "a"]);
    let output: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&output["total"], &output["symbols"][0]["symbol"]["name"]), (&json!(1), &json!("Cart")));
}

#[test]
fn copies_in_build_output_do_not_hide_the_source() {
    let world = World::with(&[
        ("src/errors.ts", b"export function pretty(): string {\n  return '';\n}\n"),
        ("src/use.ts", b"import { pretty } from './errors';\n\nexport const text = () => pretty();\n"),
        ("dist/errors.js", b"export function pretty() {\n  return '';\n}\n"),
        ("dist/errors.cjs", b"exports.pretty = pretty;\nfunction pretty() {\n  return '';\n}\n"),
        ("build/errors.cjs", b"module.exports.pretty = function () {\n  return '';\n};\n"),
        ("dist/errors.d.ts", b"export declare function pretty(): string;\n"),
    ]);
    let ended = world.run(&["symbols", "callers", "pretty"]);
    assert!(ended.out.starts_with("src/use.ts:3  text  proved"), "{} {}", ended.out, ended.err);
    assert_eq!(ended.err, "typescript:src/errors.ts#pretty(function) (5 copies in build output ignored)\n");
    let found = world.run(&["symbols", "find", "pretty"]).out;
    assert!(found.starts_with("src/errors.ts:1 "), "{found}");
}

/// A name that several symbols share means those that can be called, each with its own callers.
#[test]
fn callers_of_a_shared_name_are_grouped_by_symbol() {
    let world = World::with(&[
        ("Cargo.toml", b"[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
        (
            "src/lib.rs",
            b"mod rate;\n\npub struct Cart {\n    total: u8,\n}\n\nimpl Cart {\n    pub fn total(&self) -> u8 {\n        \
              self.total\n    }\n}\n\npub struct Till;\n\nimpl Till {\n    pub fn close(&self) {}\n}\n\npub struct Door;\n\nimpl Door \
              {\n    pub fn close(&self) {}\n}\n\n#[cfg(unix)]\npub fn root() {}\n\n#[cfg(windows)]\npub fn root() {}\n\npub fn \
              pay(cart: &Cart, till: &Till) -> u8 {\n    till.close();\n    root();\n    cart.total() + rate::rate()\n}\n",
        ),
        ("src/rate.rs", b"pub fn rate() -> u8 {\n    1\n}\n"),
        ("Box.java", b"class Box {\n    Box() {}\n    static Box make() {\n        return new Box();\n    }\n}\n"),
    ]);
    let one = "1 proved, 0 inferred, 0 possible; 0 locations unresolved.";
    let cart = "src/lib.rs:34  pay  proved, typed  cart.total() + rate::rate()\n";
    let rows: [(&str, &[&str], &str); 7] = [
        (
            "total",
            &[cart, one],
            "ignored rust:src/lib.rs#Cart.total(field): only functions, macros and types can be called\n",
        ),
        (
            "Cart.total",
            &[cart, one],
            "ignored rust:src/lib.rs#Cart.total(field): only functions, macros and types can be called\n",
        ),
        ("src/lib.rs#Cart.total", &[cart, one], ""),
        (
            "rate",
            &["src/lib.rs:34  pay  proved, ", one],
            "ignored rust:src/lib.rs#rate(module): only functions, macros and types can be called\n",
        ),
        (
            "close",
            &[
                "rust:src/lib.rs#Till.close(function)  src/lib.rs:16\n  src/lib.rs:32  pay  proved, typed  till.close();\n",
                "rust:src/lib.rs#Door.close(function)  src/lib.rs:22\n  No callers are known.\n",
            ],
            "",
        ),
        ("root", &["src/lib.rs:33  pay  ", "0 locations unresolved."], ""),
        ("Box", &["Box.java:4  Box.make  proved", one], ""),
    ];
    each(rows, |(symbol, parts, remark)| {
        let ended = world.run(&["symbols", "callers", symbol]);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), remark), "{symbol}: {}", ended.out);
        for part in parts {
            assert!(ended.out.contains(part), "{symbol}: {}", ended.out);
        }
        let headed = ended.out.lines().filter(|line| line.starts_with("rust:")).count();
        assert_eq!(headed, if symbol == "close" { 2 } else { 0 }, "{symbol}: {}", ended.out);
    });
    let output: Value =
        serde_json::from_str(&world.run(&["symbols", "callers", "--json", "close"]).out).unwrap();
    let proved: Vec<&Value> =
        output.as_array().unwrap().iter().map(|one| &one["incoming"]["proved"]).collect();
    assert_eq!(proved, [&json!(1), &json!(0)]);
}

#[test]
fn more_than_ten_symbols_of_a_name_are_only_listed() {
    let methods: String =
        (0..11).map(|number| format!("class C{number}:\n    def run(self): pass\n\n")).collect();
    let ended = World::with(&[("a.py", methods.as_bytes())]).run(&["symbols", "callers", "run"]);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.err.starts_with("run is ambiguous: 11 symbols have that name; "), "{}", ended.err);
}

/// A call of the same name that leads to other code is counted, so that the answer does not hide it.
#[test]
fn calls_of_the_name_that_lead_elsewhere_are_reported() {
    let world = World::with(&[
        ("own.py", b"def unquote(text):\n    return text\n\n\nclass Url:\n    def join(self, other):\n        return other\n"),
        (
            "use.py",
            b"from urllib.parse import unquote\n\n\ndef go(parts):\n    return unquote(\",\".join(parts))\n",
        ),
        ("wait.py", b"def receive():\n    return 1\n\n\ndef run(receive):\n    return receive()\n"),
        ("alone.py", b"def alone():\n    return 1\n"),
    ]);
    let outside =
        "Complete: nothing else calls this symbol. 1 location uses this name for code outside the project.";
    let rows = [
        ("unquote", outside),
        ("Url.join", outside),
        (
            "receive",
            "Not complete: calls of parameters or variables may be callers. 1 location calls a parameter or variable of this name.",
        ),
        ("alone", "Complete: nothing else calls this name. Searched"),
    ];
    each(rows, |(symbol, wanted)| {
        let said = world.run(&["symbols", "callers", symbol]).out;
        assert!(said.contains(wanted), "{symbol}: {said}");
    });
    let said = world.run(&["symbols", "callees", "run"]).out;
    let reason = "0 locations unresolved. Not complete: calls of parameters or variables may lead to more callees. 1 location calls a parameter";
    assert!(said.contains(reason), "{said}");
}

/// A project in three languages. In each, `total` is a method with a subclass or a trait, and a free
/// function.
const SHOP: [(&str, &str); 7] = [
    (
        "py/cart.py",
        "class Cart:\n    def total(self):\n        return 1  # total\n\n\nclass Big(Cart):\n    def \
         total(self):\n        return super().total()\n",
    ),
    (
        "py/pay.py",
        "from cart import Cart\n\n\ndef pay(cart: Cart, other):\n    return cart.total() + other.total()\n",
    ),
    ("ts/cart.ts", "export function sum(n: number) {\n  return n;\n}\n\nexport const api = { sum };\n"),
    ("ts/use.ts", "import { sum } from './cart';\n\nexport const two = sum(2);\n"),
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "mod till;\n\npub struct Cart;\n\nimpl Cart {\n    pub fn new() -> Cart {\n        Cart\n    }\n}\n",
    ),
    ("src/till.rs", "use crate::Cart;\n\nfn open() -> Cart {\n    Cart::new()\n}\n"),
];

fn shop() -> World {
    World::with(&SHOP.map(|(path, text)| (path, text.as_bytes())))
}

#[test]
#[expect(clippy::too_many_lines, clippy::type_complexity, reason = "rows")]
fn rename_is_previewed_applied_and_undone() {
    let rows: [(&[&str], &str, &[(&str, &str, &str)]); 3] = [
        (
            &["Cart.total", "amount"],
            "py/cart.py:2  proved  def total(self):\n\
             py/cart.py:7  proved  def total(self):\n\
             py/cart.py:8  proved  return super().total()\n\
             py/pay.py:5  proved  return cart.total() + other.total()\n\
             py/pay.py:5  possible, not proved to be a use of the symbol (same_name)  return cart.total() + other.total()\n\
             py/cart.py:3  unchanged, in a comment  return 1 # total\n\
             python:py/cart.py#Cart.total(function) to amount: 4 locations in 2 files proved, 1 possible, 1 in comments and \
             strings; 0 locations use the name for something else. Searched: 2 python, 2 rust, 2 typescript files.\n\
             Check the possible uses: they keep the old name, and break if they refer to the symbol.\n",
            &[
                ("py/cart.py", "def total", "def amount"),
                ("py/cart.py", "super().total", "super().amount"),
                ("py/pay.py", "cart.total", "cart.amount"),
            ],
        ),
        (
            &["sum", "add"],
            "ts/cart.ts:1  proved  export function sum(n: number) {\n\
             ts/cart.ts:5  proved  export const api = { sum };\n\
             ts/use.ts:1  proved  import { sum } from './cart';\n\
             ts/use.ts:3  proved  export const two = sum(2);\n\
             typescript:ts/cart.ts#sum(function) to add: 4 locations in 2 files proved, 0 possible, 0 in comments and strings; \
             0 locations use the name for something else. Searched: 2 python, 2 rust, 2 typescript files.\n",
            &[
                ("ts/cart.ts", "function sum", "function add"),
                ("ts/cart.ts", "{ sum }", "{ sum: add }"),
                ("ts/use.ts", "sum", "add"),
            ],
        ),
        (
            &["Cart", "Basket", "--in", "src/lib.rs:3"],
            "src/lib.rs:3  proved  pub struct Cart;\n\
             src/lib.rs:5  proved  impl Cart {\n\
             src/lib.rs:6  proved  pub fn new() -> Cart {\n\
             src/lib.rs:7  proved  Cart\n\
             src/till.rs:1  proved  use crate::Cart;\n\
             src/till.rs:3  proved  fn open() -> Cart {\n\
             src/till.rs:4  proved  Cart::new()\n\
             rust:src/lib.rs#Cart(struct) to Basket: 7 locations in 2 files proved, 0 possible, 0 in comments and strings; \
             0 locations use the name for something else. Searched: 2 python, 2 rust, 2 typescript files.\n",
            &[("src/lib.rs", "Cart", "Basket"), ("src/till.rs", "Cart", "Basket")],
        ),
    ];
    for (arguments, shown, replaced) in rows {
        let world = shop();
        let before = world.files();
        let arguments = [&["symbols", "rename"], arguments].concat();
        let ended = world.run(&arguments);
        let leaves = shown.contains(" 1 possible");
        let flags: &[&str] = if leaves { &["--apply", "--leave-possible"] } else { &["--apply"] };
        let preview = format!(
            "Nothing was changed: this is a preview. {} renames the proved locations, all or none.\n",
            flags.join(" ")
        );
        assert_eq!((ended.code, ended.out), (Some(0), format!("{shown}{preview}")), "{}", ended.err);
        assert_eq!(world.files(), before, "{arguments:?}");
        if leaves {
            let ended = world.run(&[&arguments[..], &["--apply"]].concat());
            assert_eq!((ended.code, ended.out.as_str()), (Some(1), shown), "{}", ended.err);
            assert!(
                ended.err.starts_with("Refused, and nothing was changed: 1 possible use would keep"),
                "{}",
                ended.err
            );
            assert_eq!(world.files(), before, "{arguments:?}");
        }
        let ended = world.run(&[&arguments[..], flags].concat());
        let done = "Renamed the proved locations. `toolpost undo` reverts the rename.\n";
        assert_eq!((ended.code, ended.out), (Some(0), format!("{shown}{done}")), "{}", ended.err);
        let mut wanted = before.clone();
        for (path, old, new) in replaced {
            let text = String::from_utf8(wanted[*path].clone()).unwrap();
            wanted.insert((*path).to_owned(), text.replace(old, new).into_bytes());
        }
        assert_eq!(world.files(), wanted, "{arguments:?}");
        assert_eq!(world.run(&["undo"]).code, Some(0));
        assert_eq!(world.files(), before, "{arguments:?}");
    }
}

#[test]
fn rename_refusals_name_the_reason() {
    let rows: [(&[&str], &str); 5] = [
        (
            &["Cart", "Basket"],
            "Cart is ambiguous: 3 symbols have that name; pass one of these ids, or --in FILE:LINE:\n",
        ),
        (&["Cart", "Basket", "--in", "src/till.rs"], "No symbol is called Cart."),
        (&["Cart", "Basket", "--in", "src/lib.rs:90"], "No symbol called Cart is in src/lib.rs:90."),
        (&["pay", "Cart"], "Refused, and nothing was changed: py/pay.py:1 uses the name Cart already.\n"),
        (&["pay", "a b"], "is not a valid name"),
    ];
    each(rows, |(arguments, why)| {
        let world = shop();
        let before = world.files();
        let ended = world.run(&[&["symbols", "rename", "--apply"], arguments].concat());
        assert_eq!(ended.code, Some(1), "{arguments:?} {}", ended.out);
        assert!(ended.err.contains(why), "{arguments:?} {}", ended.err);
        assert_eq!(world.files(), before, "{arguments:?}");
    });
    let ended = shop().run(&["--read-only", "on", "symbols", "rename", "--apply", "pay", "settle"]);
    assert_eq!(ended.code, Some(2), "{} {}", ended.out, ended.err);
}

#[test]
fn rename_plan_is_printed_as_json() {
    let world = shop();
    let ended = world.run(&["symbols", "rename", "pay", "Cart", "--json"]);
    let plan: Value = serde_json::from_str(&ended.out).unwrap();
    let refused = json!(["py/pay.py:1 uses the name Cart already."]);
    assert_eq!((ended.code, &plan["applied"], &plan["conflicts"]), (Some(1), &json!(false), &refused));
    let ended = world.run(&["symbols", "rename", "pay", "settle", "--json", "--apply"]);
    let plan: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (ended.code, &plan["applied"], &plan["files"][0]["edits"][0]["line"]),
        (Some(0), &json!(true), &json!(4))
    );
}
