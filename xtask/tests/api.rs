//! The list of public items on small crates.

use toolpost_test_rows::each;
use xtask::{api, tree::Tree};

fn check(name: &str, rows: &[(&str, &str)], wanted: &str) {
    assert_eq!(api::list(&Tree::of_rows(rows), &api::WATCHED[0]).unwrap(), wanted, "{name}");
}

#[test]
fn each_watched_crate_has_a_list_without_its_unstable_modules() {
    let tree = Tree::of_rows(&[
        ("crates/tool/src/lib.rs", "pub use toolpost_engine::{Kind, operations};"),
        ("crates/engine/src/lib.rs", "pub enum Kind { Io } pub mod operations { pub struct Stat; }"),
        (
            "crates/mcp-server/src/lib.rs",
            "pub fn stdio() {} #[doc(hidden)] pub mod fuzzing { pub fn lines() {} }",
        ),
    ]);
    let lists = api::WATCHED.map(|watched| (watched.list, api::list(&tree, &watched).unwrap()));
    let wanted = [
        ("crates/toolpost/api.txt", ""),
        ("crates/mcp-server/api.txt", "pub fn toolpost_mcp_server::stdio()\n"),
        (
            "crates/tool/api.txt",
            "pub enum toolpost_tool::Kind\nvariant toolpost_tool::Kind::Io\npub mod toolpost_tool::operations (unstable)\n",
        ),
    ];
    assert_eq!(lists, wanted.map(|(list, text)| (list, text.to_owned())));
}

#[test]
fn public_items_are_listed_with_their_signatures() {
    let rows: &[(&str, &str, &str)] = &[
        ("private items are left out", "struct A; pub(crate) fn b() {} mod c { pub fn d() {} }", ""),
        (
            "signatures without bindings and bodies",
            "pub async fn f<'a, T: Into<String>>(mut a: &'a [u8], b: T) -> Result<Option<T>, E> where T: Send, { a }",
            "pub async fn toolpost::f<'a, T: Into<String>>(a: &'a [u8], b: T) -> Result<Option<T>, E> where T: Send\n",
        ),
        (
            "fields, derives and functions of a type",
            "#[derive(Clone)] #[non_exhaustive] pub struct A { pub a: u8, b: u8 }
             impl A { pub fn get(&self) -> u8 { self.b } fn own(&self) {} }
             impl Drop for A { fn drop(&mut self) {} }
             trait Own {} impl Own for A {}",
            "impl Clone for toolpost::A\nimpl Drop for toolpost::A\n\
             pub struct toolpost::A #[non_exhaustive] (with private fields)\nfield toolpost::A::a: u8\n\
             pub fn toolpost::A::get(&self) -> u8\n",
        ),
        (
            "variants and their fields",
            "pub enum E { A, B(u8, String), C { d: bool } }",
            "pub enum toolpost::E\nvariant toolpost::E::A\nvariant toolpost::E::B(u8, String)\n\
             variant toolpost::E::C\nfield toolpost::E::C::d: bool\n",
        ),
        (
            "members of a trait, and which are provided",
            "pub trait T: Send { const N: u8; type O: Clone; fn a(&self); fn b(self) where Self: Sized {} }",
            "pub trait toolpost::T: Send\nconst toolpost::T::N: u8\ntype toolpost::T::O: Clone\n\
             fn toolpost::T::a(&self)\nfn toolpost::T::b(self) where Self: Sized (provided)\n",
        ),
        (
            "rows of a table",
            "macro_rules! rows { ($($field:ident: $type:ty = $value:expr, { $more:expr })*) => {
                pub struct R { $(pub $field: Option<$type>,)* }
                pub const ALL: [u8; [$($value),*].len()] = [$($value),*];
             } }
             rows! { a: u8 = 1, { 2 } b: Vec<u8> = vec![], { 3 } }",
            "pub const toolpost::ALL: [u8; [(), ()].len()]\npub struct toolpost::R\n\
             field toolpost::R::a: Option<u8>\nfield toolpost::R::b: Option<Vec<u8>>\n",
        ),
        ("tests and hidden items are left out", "#[cfg(test)] pub mod t {} #[doc(hidden)] pub fn h() {}", ""),
        (
            "conditions stand before the item",
            "#[cfg(unix)] pub fn u() {}",
            "#[cfg(unix)] pub fn toolpost::u()\n",
        ),
    ];
    each(rows, |(name, code, wanted)| {
        check(name, &[("crates/toolpost/src/lib.rs", code)], wanted);
    });
}

#[test]
fn reexports_are_listed_under_the_shortest_path() {
    check(
        "names come through modules, globs and other crates; the shortest path has the item",
        &[
            (
                "crates/toolpost/src/lib.rs",
                "pub mod a; mod b; pub use a::inner::{Deep as Shallow}; pub use b::*; pub use toolpost_other::{Far, far};
                 pub use elsewhere::Foreign; pub mod parts;",
            ),
            ("crates/toolpost/src/a.rs", "pub mod inner; pub use super::b::B;"),
            ("crates/toolpost/src/a/inner.rs", "pub struct Deep;"),
            ("crates/toolpost/src/b.rs", "pub struct B; impl B { pub const ONE: u8 = 1; }"),
            ("crates/toolpost/src/parts.rs", "pub fn unstable() {}"),
            ("crates/other/src/lib.rs", "mod far; pub use far::{Far, go as far};"),
            ("crates/other/src/far.rs", "pub struct Far; pub fn go() {}"),
        ],
        "pub struct toolpost::B\npub const toolpost::B::ONE: u8\npub struct toolpost::Far\n\
         pub use toolpost::Foreign = elsewhere::Foreign\npub struct toolpost::Shallow\npub mod toolpost::a\n\
         pub use toolpost::a::B = toolpost::B\npub mod toolpost::a::inner\n\
         pub use toolpost::a::inner::Deep = toolpost::Shallow\npub fn toolpost::far()\n\
         pub mod toolpost::parts (unstable)\n",
    );
}

#[test]
fn list_changes_show_removed_and_added_lines() {
    let changes = api::changes("pub fn a()\npub fn b()\n", "pub fn a()\npub fn b(c: u8)\n");
    assert_eq!(changes, ["-pub fn b()", "+pub fn b(c: u8)"]);
}

#[test]
fn property_tests_are_found_in_proptest_blocks() {
    let code = "proptest! {\n    #[test]\n    fn one(a in any::<u8>()) {\n        fn inner() {}\n    }\n\n    #[test]\n    fn two(\n    ) {}\n}\n\nfn other() {}\n";
    assert_eq!(xtask::explore::properties(code), ["one", "two"]);
    let inside = "mod tests {\n    proptest::proptest! {\n        #[test]\n        fn deep(a in 0..2) {}\n    }\n    fn not() {}\n}\n";
    assert_eq!(xtask::explore::properties(inside), ["deep"]);
}
