//! `toolpost symbols` by the program itself.

use crate::common;

use common::World;
use serde_json::{Value, json};

fn world() -> World {
    World::with(&[
        (
            "shop/cart.py",
            b"from shop.price import cents\n\n\nclass Cart:\n    def total(self) -> int:\n        return cents(3)\n\n\n\
              def checkout(cart: Cart):\n    return cart.total()\n",
        ),
        ("shop/price.py", b"def cents(count: int) -> int:\n    return count * 5\n\n\ndef other():\n    pass\n"),
        ("shop/more.py", b"def other():\n    pass\n"),
        ("notes.txt", b"words\n"),
    ])
}

#[test]
fn questions_of_people_are_answered_in_lines() {
    let world = world();
    let searched = "Searched: files of python 3.";
    let rows: [(&[&str], i32, String); 9] = [
        (
            &["outline", "shop/cart.py"],
            0,
            "     4  class  class Cart:\n     5    function  def total(self) -> int:\n     9  function  def checkout(cart: Cart):\n"
                .to_owned(),
        ),
        (&["find", "Cart.tot"], 0, "shop/cart.py:5  function Cart.total  def total(self) -> int:\n".to_owned()),
        (&["find", "centz"], 1, format!("No symbol has this name. Names like it: cents. {searched}\n")),
        (
            &["callers", "total"],
            0,
            format!(
                "shop/cart.py:10  checkout  proved, typed  return cart.total()\n\
                 1 proved, 0 inferred, 0 possible; 0 places unresolved. Complete: no other place calls this name. {searched}\n"
            ),
        ),
        (
            &["callees", "shop/cart.py#Cart.total"],
            0,
            format!(
                "shop/cart.py:6  cents (shop/price.py:1)  proved, import  return cents(3)\n\
                 1 proved, 0 inferred, 0 possible; 0 places unresolved. {searched}\n"
            ),
        ),
        (
            &["callees", "python:shop/price.py#cents(function)"],
            0,
            format!(
                "No callees are known.\n\
                 0 proved, 0 inferred, 0 possible; 0 places unresolved. {searched}\n"
            ),
        ),
        (
            &["callers", "other"],
            1,
            "other is ambiguous: 2 symbols have that name; use an id:\n  \
             python:shop/more.py#other(function)  shop/more.py:1\n  \
             python:shop/price.py#other(function)  shop/price.py:5\n"
                .to_owned(),
        ),
        (&["callers", "centz"], 1, format!("No symbol is called centz. {searched} Names like it: cents.\n")),
        (
            &["outline", "notes.txt"],
            1,
            "There is no parser for notes.txt: its name tells no language that is known here.\n\
             Name the lines that are meant, or the text that stands there; or read the file.\n"
                .to_owned(),
        ),
    ];
    for (arguments, code, wanted) in rows {
        let ended = world.run(&[&["symbols"], arguments].concat());
        let said = if code == 0 { &ended.out } else { &ended.err };
        assert_eq!((ended.code, said), (Some(code), &wanted), "{arguments:?} {}", ended.err);
    }
}

#[test]
fn the_same_is_given_as_data() {
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
fn copies_in_built_files_do_not_hide_their_source() {
    let world = World::with(&[
        ("src/errors.ts", b"export function pretty(): string {\n  return '';\n}\n"),
        ("src/use.ts", b"import { pretty } from './errors';\n\nexport const text = () => pretty();\n"),
        ("dist/errors.js", b"export function pretty() {\n  return '';\n}\n"),
        ("dist/errors.cjs", b"function pretty() {\n  return '';\n}\n"),
        ("dist/errors.d.ts", b"export declare function pretty(): string;\n"),
    ]);
    let ended = world.run(&["symbols", "callers", "pretty"]);
    assert!(ended.out.starts_with("src/use.ts:3  text  proved"), "{} {}", ended.out, ended.err);
    assert_eq!(ended.err, "typescript:src/errors.ts#pretty(function) (without 3 copies in built files)\n");
    let found = world.run(&["symbols", "find", "pretty"]).out;
    assert!(found.starts_with("src/errors.ts:1 "), "{found}");
}
