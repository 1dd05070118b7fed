//! Tests of the items of a file in each language.

use std::path::Path;
use toolpost_test_rows::each;

use toolpost_syntax::{Item, Language};

/// Each row: a file's name, its text, and its items: `FIRST-LAST KIND NAME`, indented by their depth.
const ROWS: &[(&str, &str, &str)] = &[
    (
        "a.rs",
        "/// Doc.\n#[derive(Debug)]\npub struct A { x: u8 }\nimpl Show for A<T> {\n    fn show(&self) {}\n}\nmod m {\n    const N: u8 = 1;\n}\n",
        "1-3 struct A\n 3-3 field x\n4-6 impl Show for A\n 5-5 function show\n7-9 module m\n 8-8 constant N\n",
    ),
    (
        "a.py",
        "# note\n\n# doc\n@tag\nclass A(B):\n    x: int = 1\n    def f(self):\n        def g(): pass\n        return g\nif True:\n    def h(): pass\n",
        "3-9 class A\n 6-6 variable x\n 7-9 function f\n  8-8 function g\n11-11 function h\n",
    ),
    (
        "a.js",
        "export const f = () => {\n  return 1;\n};\nmodule.exports.g = function () {};\nclass A { #x = 1; m() {} }\nconst { a } = f();\n",
        "1-3 function f\n4-4 function module.exports.g\n5-5 class A\n 5-5 field #x\n 5-5 function m\n6-6 variable { a }\n",
    ),
    (
        "a.ts",
        "abstract class A {\n  @log() m(): void {}\n}\ninterface I { x: number; m(): void }\nenum E { A, B = 1 }\nnamespace N { export type T = 1; }\n",
        "1-3 class A\n 2-2 function m\n4-4 interface I\n 4-4 field x\n 4-4 function m\n5-5 enum E\n 5-5 variant A\n 5-5 variant B\n6-6 module N\n 6-6 type T\n",
    ),
    (
        "a.go",
        "package a\n\nimport (\n\t\"fmt\"\n)\n\ntype A struct {\n\tX int\n}\n\nfunc (a *A) M() {}\n\nvar x = 1\n",
        "1-1 package \n3-5 group \n 4-4 import \"fmt\"\n7-9 struct A\n 8-8 field X\n11-11 function A.M\n13-13 variable x\n",
    ),
    (
        "A.java",
        "package a;\nclass A {\n    int x;\n    @Override\n    void m() {}\n    A() {}\n    enum E { ONE; void e() {} }\n}\n",
        "1-1 package \n2-8 class A\n 3-3 field x\n 4-5 function m\n 6-6 function A\n 7-7 enum E\n  7-7 variant ONE\n  7-7 function e\n",
    ),
    (
        "a.c",
        "#include <a.h>\n#define N 1\ntypedef struct { int x; } s;\nint f(int a);\nstatic char *g(void) { return 0; }\nint v[2];\n",
        "1-1 import <a.h>\n2-2 macro N\n3-3 struct s\n 3-3 field x\n4-4 function f\n5-5 function g\n6-6 variable v\n",
    ),
    (
        "a.cpp",
        "namespace n {\ntemplate <class T> struct S { T x; void m(); };\nvoid S::m() {}\nusing A = int;\n}\n",
        "1-5 module n\n 2-2 struct S\n  2-2 field x\n  2-2 function m\n 3-3 function S::m\n 4-4 type A\n",
    ),
    (
        "a.cs",
        "using A;\nnamespace N {\n    class C {\n        [Tag]\n        int P { get; set; }\n        C() {}\n        void M(int a) => x();\n    }\n}\n",
        "1-1 import using A;\n2-9 module N\n 3-8 class C\n  4-5 field P\n  6-6 function C\n  7-7 function M\n",
    ),
    (
        "a.rb",
        "module M\n  class A < B\n    X = 1\n    def m; end\n    def self.s\n      1\n    end\n  end\nend\n",
        "1-9 module M\n 2-8 class A\n  3-3 variable X\n  4-4 function m\n  5-7 function self responds to s\n",
    ),
    (
        "a.php",
        "<?php\nnamespace N;\nuse A\\B;\n#[Tag]\nclass C {\n    private $x = 1;\n    const Y = 2;\n    function m() {}\n}\nfunction f() {}\n",
        "2-2 package N\n3-3 import use A\\B;\n4-9 class C\n 6-6 field $x\n 7-7 constant Y\n 8-8 function m\n10-10 function f\n",
    ),
];

#[test]
fn outlines_of_all_languages_match() {
    each(ROWS, |(file, text, expected)| {
        let Some(language) = Language::of_path(Path::new(file)) else { panic!("{file}") };
        let Ok(tree) = language.parse(text) else { panic!("{file}") };
        let mut got = String::new();
        outline(text, &tree.items(), 0, &mut got);
        assert_eq!(got, *expected, "{file}");
        assert!(tree.errors().is_empty(), "{file}: {:?}", tree.errors());
    });
}

#[test]
fn syntax_errors_are_found_only_in_invalid_code() {
    let rows =
        [("rs", "fn a() {}", 0), ("rs", "fn a( {}", 1), ("py", "def f(:\n  pass\n", 1), ("js", "x = {", 1)];
    each(rows, |(name, text, least)| {
        let Some(Ok(tree)) = Language::of_name(name).map(|language| language.parse(text)) else { panic!() };
        assert_eq!(tree.errors().len().min(1), least, "{text}");
    });
}

#[test]
fn languages_are_detected_by_path_and_name() {
    let rows = [
        ("a/b.RS", None, "rust"),
        ("a.tsx", None, "tsx"),
        ("a.h", None, "c"),
        ("a.h", Some("C++"), "cpp"),
        ("a.js", Some("python"), "javascript"),
        ("Script", Some("Python3"), "python"),
        ("a.toml", Some("python"), "toml"),
        ("a.txt", Some("python"), ""),
        ("Gemfile", None, "ruby"),
        ("a/.bashrc", None, "bash"),
        ("Makefile", None, ""),
    ];
    each(rows, |(path, called, expected)| {
        let found = Language::meant(Path::new(path), called).map_or("", Language::name);
        assert_eq!(found, expected, "{path} {called:?}");
    });
    assert_eq!(Language::all().count(), 24);
}

#[test]
fn parsing_deeply_nested_code_terminates() {
    each(
        [("js", "class A { static x = "), ("rs", "mod a { "), ("py", "("), ("cpp", "namespace n { ")],
        |(name, open)| {
            let text = open.repeat(20_000);
            let Some(language) = Language::of_name(name) else { panic!("{name}") };
            if let Ok(tree) = language.parse(&text) {
                assert!(tree.items().len() < 20_001, "{name}");
                assert!(!tree.errors().is_empty(), "{name}");
            }
        },
    );
}

fn outline(text: &str, items: &[Item], depth: usize, out: &mut String) {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    for item in items {
        let (first, last) = (line(item.range.start), line(item.range.end - 1));
        out.push_str(&format!("{}{first}-{last} {} {}\n", " ".repeat(depth), item.kind.name(), item.name));
        outline(text, &item.children, depth + 1, out);
    }
}
