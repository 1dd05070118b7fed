//! Tests of the matches of patterns, in every language.

use toolpost_syntax::{Language, Pattern};
use toolpost_test_rows::table::Table;

const RUST: &str = "fn one() {}\nfn two(a: u8) -> u8 {\n    let x = a + a;\n    x.max(a).min(a);\n    x\n}\npub fn three(a: u8) { one(); }\nstruct S { a: u8 }\nimpl S {\n    fn four(&self) { println!(\"{}\", 1); }\n}\nenum E { A, B }\ntrait T { fn five(&self); }\nmatch x { A => 1, _ => 2 }\nuse std::fmt;\n";
const TYPESCRIPT: &str = "function one() {}\nfunction two(a: string): string {\n  let x = a + a;\n  return x.trim().slice(a, 1);\n}\nclass A { m(a) { return a; } }\nexport class B extends A { x = 1 }\ninterface I { a: string }\nconst f = (a) => a;\nif (a) { one(); }\nimport { q } from \"q\";\nfoo(1, 2, 3);\nx = x;\n";
const PYTHON: &str = "import os\nclass A(B):\n    def m(self, a):\n        return a == a\n\n@tag\ndef one(a, b=1):\n    x = a\n    if a:\n        print(a, b)\n    return x\nasync def two():\n    await one(1)\n";
const GO: &str = "package a\n\nimport \"fmt\"\n\ntype T struct{ a int }\n\nfunc one() {}\n\nfunc (t *T) Two(a int) (int, error) {\n\tx := a\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tfmt.Println(x, a)\n\treturn x, nil\n}\n";
const JAVA: &str = "class A {\n  int x = 1;\n  void one() { System.out.println(1); }\n  int two(int a) { return a; }\n}\ninterface I { void m(); }\npublic class B { }\n";
const C: &str = "int one() { return 1; }\nstruct S { int a; };\nint main(int argc, char **argv) {\n  int x = one();\n  if (x) { printf(\"%d\", x); }\n  free(x);\n}\n";
const CPP: &str = "class A { void m(); };\nint one() { return 1; }\nvoid A::m() { auto x = new A(); x->m(); std::move(x); }\n";
const CSHARP: &str =
    "class A {\n  int X = 1;\n  void One() { Console.WriteLine(1); }\n}\ninterface I { void M(); }\n";
const RUBY: &str = "class A\n  def one(a)\n    puts a\n  end\nend\nx = 1\n";
const PHP: &str =
    "<?php\nclass A {\n  function one($a) { return $a; }\n}\nfunction two() { echo 1; }\n$x = foo(1);\n";
const SWIFT: &str = "class A {\n  func one(a: Int) { print(a) }\n}\nfunc two() {}\nlet x = 1\n";
const KOTLIN: &str = "class A {\n  fun one(a: Int) { println(a) }\n}\nfun two() {}\nval x = 1\n";
const SCALA: &str = "class A {\n  def one(a: Int): Int = { a }\n}\nval x = foo(1)\n";
const LUA: &str = "local x = 1\nfunction one(a)\n  print(a)\nend\nlocal function two() end\n";
const ZIG: &str = "const x = 1;\nfn one() void {\n    foo(x);\n}\n";
const BASH: &str = "x=1\none() {\n  echo \"$x\"\n  rm -rf /tmp/x\n}\n";
const JSON: &str = "{\"a\": 1, \"b\": {\"c\": [1, 2]}}\n";
const YAML: &str = "a: 1\nb:\n  c: 2\n";
const TOML: &str = "[a]\nb = 1\n";
const CSS: &str = ".a { color: red; margin: 0; }\nb { color: blue; }\n";
const HTML: &str = "<div class=\"a\"><p>x</p></div>\n";
const MARKDOWN: &str = "# One\n\ntext\n";

/// Each row: a language, a text, a pattern, and its matches: the first line of each, and the code of each named
/// placeholder as `NAME=CODE`. Instead of matches, `no:` precedes the error for an invalid pattern.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("rust", RUST, "fn $NAME() { $$$BODY }", "1 BODY= NAME=one"),
    ("rust", RUST, "fn $NAME($PARAMS) { $$$BODY }", "10 BODY=println!(\"{}\", 1); NAME=four PARAMS=&self"),
    ("rust", RUST, "pub fn $NAME($$$PARAMS) { $$$BODY }", "7 BODY=one(); NAME=three PARAMS=a: u8"),
    (
        "rust",
        RUST,
        "fn $NAME($$$PARAMS) -> $R { $$$BODY }",
        "2 BODY=let x = a + a; x.max(a).min(a); x NAME=two PARAMS=a: u8 R=u8",
    ),
    (
        "rust",
        RUST,
        "fn $NAME($$$PARAMS) $$$BODY",
        "no: the pattern is not valid rust: the parser does not understand \"fn $NAME($$$PARAMS) $$$BODY\"",
    ),
    ("rust", RUST, "let $NAME = $VALUE", "3 NAME=x VALUE=a + a"),
    ("rust", RUST, "let $NAME = $VALUE;", "3 NAME=x VALUE=a + a"),
    ("rust", RUST, "$A + $A", "3 A=a"),
    ("rust", RUST, "$A + $B", "3 A=a B=a"),
    ("rust", RUST, "$X.max($Y)", "4 X=x Y=a"),
    ("rust", RUST, "$X.$M($Y)", "4 M=min X=x.max(a) Y=a; 4 M=max X=x Y=a"),
    ("rust", RUST, "one()", "7"),
    ("rust", RUST, "struct $NAME { $$$FIELDS }", "8 FIELDS=a: u8 NAME=S"),
    ("rust", RUST, "impl $NAME { $$$BODY }", "9 BODY=fn four(&self) { println!(\"{}\", 1); } NAME=S"),
    ("rust", RUST, "enum $NAME { $$$V }", "12 NAME=E V=A, B"),
    ("rust", RUST, "trait $NAME { $$$V }", "13 NAME=T V=fn five(&self);"),
    ("rust", RUST, "println!($$$A)", "10 A=\"{}\", 1"),
    ("rust", RUST, "match $X { $$$ARMS }", "14 ARMS=A => 1, _ => 2 X=x"),
    ("rust", RUST, "use $P;", "15 P=std::fmt"),
    ("rust", RUST, "fn (", "no: the pattern is not valid rust: the parser does not understand \"fn (\""),
    ("rust", RUST, "foo(", "no: the pattern is not valid rust: the parser does not understand \"foo(\""),
    ("rust", RUST, "", "no: the pattern is empty"),
    ("rust", RUST, "$$$A", "no: `$$$A` matches any number of nodes; add the code around it"),
    (
        "rust",
        RUST,
        "let a = 1; let b = 2;",
        "no: the pattern has 2 separate pieces of rust code; add the block around them, or search for one of them",
    ),
    ("rust", RUST, "fn four(&self) { $$$ }", "10"),
    ("rust", RUST, "if a { $$$B; }", ""),
    ("rust", "fn f() { if a { return; } }", "if a { $$$B; }", "1 B=return;"),
    ("rust", "use a;\n", "$A", "1 A=use a;; 1 A=use a;; 1 A=a"),
    ("typescript", TYPESCRIPT, "function $NAME() { $$$BODY }", "1 BODY= NAME=one"),
    (
        "typescript",
        TYPESCRIPT,
        "function $NAME($$$A): $R { $$$BODY }",
        "2 A=a: string BODY=let x = a + a; return x.trim().slice(a, 1); NAME=two R=string",
    ),
    ("typescript", TYPESCRIPT, "class $NAME { $$$BODY }", "6 BODY=m(a) { return a; } NAME=A"),
    ("typescript", TYPESCRIPT, "class $NAME extends $B { $$$BODY }", "7 B=A BODY=x = 1 NAME=B"),
    ("typescript", TYPESCRIPT, "interface $NAME { $$$BODY }", "8 BODY=a: string NAME=I"),
    ("typescript", TYPESCRIPT, "let $NAME = $VALUE", "3 NAME=x VALUE=a + a"),
    ("typescript", TYPESCRIPT, "$M($$$P) { $$$BODY }", "6 BODY=return a; M=m P=a"),
    ("typescript", TYPESCRIPT, "($A) => $B", "9 A=a B=a"),
    ("typescript", TYPESCRIPT, "if ($C) { $$$ }", "10 C=a"),
    ("typescript", TYPESCRIPT, "return $X", "4 X=x.trim().slice(a, 1); 6 X=a"),
    ("typescript", TYPESCRIPT, "foo($A, $$$REST)", "12 A=1 REST=2, 3"),
    ("typescript", TYPESCRIPT, "$A = $A", "13 A=x"),
    ("typescript", TYPESCRIPT, "import { $A } from \"$B\"", "11 A=q B=q"),
    ("typescript", TYPESCRIPT, "import { $$$N } from $M", "11 M=\"q\" N=q"),
    ("javascript", "import a, { b } from './c';\n", "import $A, { $$$N } from $M", "1 A=a M='./c' N=b"),
    ("typescript", "f(\"$A\");\nf(1);\n", "f(\"$A\")", "1 A=$A"),
    ("typescript", TYPESCRIPT, "x = 1", ""),
    ("tsx", "const a = <B c={d} />;\n", "<B c={$X} />", "1 X=d"),
    ("javascript", "const a = 1;\nfunction f(b) { return b; }\n", "const $A = $B", "1 A=a B=1"),
    (
        "javascript",
        "const a = 1;\nfunction f(b) { return b; }\n",
        "function $NAME($P) { $$$BODY }",
        "2 BODY=return b; NAME=f P=b",
    ),
    (
        "python",
        PYTHON,
        "def $NAME($$$A): $$$B",
        "3 A=self, a B=return a == a NAME=m; 7 A=a, b=1 B=x = a if a: print(a, b) return x NAME=one; 12 A= B=await one(1) NAME=two",
    ),
    ("python", PYTHON, "class $NAME($B): $$$BODY", "2 B=B BODY=def m(self, a): return a == a NAME=A"),
    ("python", PYTHON, "return $X", "4 X=a == a; 11 X=x"),
    ("python", PYTHON, "$A == $A", "4 A=a"),
    ("python", PYTHON, "print($$$A)", "10 A=a, b"),
    ("python", PYTHON, "if $C: $$$B", "9 B=print(a, b) C=a"),
    ("python", PYTHON, "await $X", "13 X=one(1)"),
    ("python", PYTHON, "import $M", "1 M=os"),
    ("python", PYTHON, "$X = a", "8 X=x"),
    ("go", GO, "func $NAME() { $$$BODY }", "7 BODY= NAME=one"),
    (
        "go",
        GO,
        "func ($R $T) $NAME($$$A) ($$$B) { $$$BODY }",
        "9 A=a int B=int, error BODY=x := a if err != nil { return 0, err } fmt.Println(x, a) return x, nil NAME=Two R=t T=*T",
    ),
    ("go", GO, "if err != nil { $$$ }", "11"),
    ("go", GO, "fmt.Println($$$A)", "14 A=x, a"),
    ("go", GO, "$A := $B", "10 A=x B=a"),
    ("go", GO, "type $T struct { $$$F }", "5 F=a int T=T"),
    (
        "java",
        JAVA,
        "class $NAME { $$$BODY }",
        "1 BODY=int x = 1; void one() { System.out.println(1); } int two(int a) { return a; } NAME=A",
    ),
    ("java", JAVA, "public class $NAME { $$$BODY }", "7 BODY= NAME=B"),
    ("java", JAVA, "interface $NAME { $$$BODY }", "6 BODY=void m(); NAME=I"),
    ("java", JAVA, "System.out.println($A)", "3 A=1"),
    (
        "java",
        "class A {\n  void m() {\n    one(1);\n    int x = one(2);\n  }\n}\n",
        "one($A)",
        "3 A=1; 4 A=2",
    ),
    ("java", "class A {\n  void m() {\n    one(1);\n    int x = one(2);\n  }\n}\n", "one($A);", "3 A=1"),
    ("java", "class A {\n  A(int a) { one(a); }\n}\n", "A(int a) { $$$B }", "2 B=one(a);"),
    ("java", JAVA, "$T $F = $V;", "2 F=x T=int V=1"),
    (
        "java",
        JAVA,
        "$R $NAME($$$A) { $$$BODY }",
        "3 A= BODY=System.out.println(1); NAME=one R=void; 4 A=int a BODY=return a; NAME=two R=int",
    ),
    ("c", C, "int $NAME() { $$$BODY }", "1 BODY=return 1; NAME=one"),
    (
        "c",
        C,
        "$T $NAME($$$A) { $$$BODY }",
        "1 A= BODY=return 1; NAME=one T=int; 3 A=int argc, char **argv BODY=int x = one(); if (x) { printf(\"%d\", x); } free(x); NAME=main T=int",
    ),
    ("c", C, "free($X)", "6 X=x"),
    ("c", C, "if ($X) { $$$ }", "5 X=x"),
    ("c", C, "struct $NAME { $$$F }", "2 F=int a; NAME=S"),
    ("c", C, "int $X = $Y;", "4 X=x Y=one()"),
    ("cpp", CPP, "class $NAME { $$$BODY }", "1 BODY=void m(); NAME=A"),
    ("cpp", CPP, "new $T($$$A)", "3 A= T=A"),
    ("cpp", CPP, "$X->$M()", "3 M=m X=x"),
    ("cpp", CPP, "std::move($X)", "3 X=x"),
    (
        "csharp",
        CSHARP,
        "class $NAME { $$$BODY }",
        "1 BODY=int X = 1; void One() { Console.WriteLine(1); } NAME=A",
    ),
    ("csharp", CSHARP, "interface $NAME { $$$BODY }", "5 BODY=void M(); NAME=I"),
    ("csharp", CSHARP, "void $NAME() { $$$BODY }", "3 BODY=Console.WriteLine(1); NAME=One"),
    ("csharp", CSHARP, "Console.WriteLine($A)", "3 A=1"),
    ("ruby", RUBY, "class $NAME\n $$$BODY\nend", "1 BODY=def one(a) puts a end NAME=A"),
    ("ruby", RUBY, "def $NAME($A)\n $$$BODY\nend", "2 A=a BODY=puts a NAME=one"),
    ("ruby", RUBY, "puts $X", "3 X=a"),
    ("ruby", RUBY, "$X = 1", "6 X=x"),
    ("php", PHP, "class $NAME { $$$BODY }", "2 BODY=function one($a) { return $a; } NAME=A"),
    ("php", PHP, "function $NAME() { $$$BODY }", "5 BODY=echo 1; NAME=two"),
    ("php", PHP, "foo($X)", "6 X=1"),
    ("php", PHP, "$X = foo($Y)", "6 X=$x Y=1"),
    ("php", PHP, "return $A;", "3 A=$a"),
    ("swift", SWIFT, "class $NAME { $$$BODY }", "1 BODY=func one(a: Int) { print(a) } NAME=A"),
    ("swift", SWIFT, "func $NAME() { $$$BODY }", "4 BODY= NAME=two"),
    ("swift", SWIFT, "print($A)", "2 A=a"),
    ("swift", SWIFT, "let $NAME = $VALUE", "5 NAME=x VALUE=1"),
    ("kotlin", KOTLIN, "class $NAME { $$$BODY }", "1 BODY=fun one(a: Int) { println(a) } NAME=A"),
    ("kotlin", KOTLIN, "fun $NAME() { $$$BODY }", "4 BODY= NAME=two"),
    ("kotlin", KOTLIN, "println($A)", "2 A=a"),
    ("kotlin", KOTLIN, "val $NAME = $VALUE", "5 NAME=x VALUE=1"),
    ("scala", SCALA, "class $NAME { $$$BODY }", "1 BODY=def one(a: Int): Int = { a } NAME=A"),
    ("scala", SCALA, "def $NAME($$$A): $R = { $$$BODY }", "2 A=a: Int BODY=a NAME=one R=Int"),
    ("scala", SCALA, "val $NAME = $VALUE", "4 NAME=x VALUE=foo(1)"),
    ("scala", SCALA, "foo($A)", "4 A=1"),
    ("lua", LUA, "function $NAME($A) $$$BODY end", "2 A=a BODY=print(a) NAME=one"),
    ("lua", LUA, "print($A)", "3 A=a"),
    ("lua", LUA, "local $X = $Y", "1 X=x Y=1"),
    ("zig", ZIG, "fn $NAME() void { $$$BODY }", "2 BODY=foo(x); NAME=one"),
    ("zig", ZIG, "const $X = $Y;", "1 X=x Y=1"),
    ("zig", ZIG, "foo($A)", "3 A=x"),
    ("bash", BASH, "echo $A", "3 A=\"$x\""),
    ("bash", BASH, "rm -rf $X", "4 X=/tmp/x"),
    ("bash", BASH, "$NAME() { $$$BODY }", "2 BODY=echo \"$x\" NAME=one"),
    ("json", JSON, "\"a\": $V", "1 V=1"),
    ("json", JSON, "{\"c\": $V}", "1 V=[1, 2]"),
    ("json", JSON, "[$A, $B]", "1 A=1 B=2"),
    ("yaml", YAML, "c: $V", "3 V=2"),
    ("toml", TOML, "b = $V", "2 V=1"),
    ("css", CSS, "color: $V", "1 V=red; 2 V=blue"),
    ("css", CSS, "$S { color: red; $$$R }", "1 R=margin: 0; S=.a"),
    ("html", HTML, "<p>$X</p>", "1 X=x"),
    ("html", HTML, "<$T class=\"a\">$$$X</$T>", "1 T=div X=<p>x</p>"),
    ("markdown", MARKDOWN, "# $T", "1 T=One"),
    ("rust", RUST, "$_.max($_)", "4"),
    ("typescript", TYPESCRIPT, "foo($_, $$$)", "12"),
    ("tsx", "const a = <B c={d} />;\n", "<B c={$_} />", "1"),
    ("javascript", "f(1);\n", "f($_)", "1"),
    ("python", PYTHON, "print($_, b)", "10"),
    ("go", GO, "fmt.Println($_, a)", "14"),
    ("java", JAVA, "System.out.println($_)", "3"),
    ("c", C, "free($_)", "6"),
    ("cpp", CPP, "std::move($_)", "3"),
    ("csharp", CSHARP, "Console.WriteLine($_)", "3"),
    ("ruby", RUBY, "puts $_", "3"),
    ("php", PHP, "foo($_)", "6"),
    ("swift", SWIFT, "print($_)", "2"),
    ("kotlin", KOTLIN, "println($_)", "2"),
    ("scala", SCALA, "foo($_)", "4"),
    ("lua", LUA, "print($_)", "3"),
    ("zig", ZIG, "foo($_)", "3"),
    ("bash", BASH, "rm -rf $_", "4"),
    ("json", JSON, "\"c\": $_", "1"),
    ("yaml", YAML, "c: $_", "3"),
    ("toml", TOML, "b = $_", "2"),
    ("css", CSS, "margin: $_", "1"),
    ("html", HTML, "<p>$_</p>", "1"),
    ("markdown", MARKDOWN, "# $_", "1"),
    ("zig", ZIG, "const $_ = $_;", "1"),
    ("css", CSS, "$_ { color: red; $$$ }", "1"),
    (
        "rust",
        "f(1, f(1, f(1, f(1, f(1, f(1, f(1, f())))))))",
        "f($$$, f($$$, f($$$, f($$$, f($$$, f($$$, f($$$, f($$$))))))))",
        "1",
    ),
    (
        "rust",
        RUST,
        "f($$$, f($$$, f($$$, f($$$, f($$$, f($$$, f($$$, f($$$, f($$$)))))))))",
        "no: placeholders for any number of nodes, such as `$$$`, are nested more than 8 deep in the pattern; write \
         `$_` for single nodes, or search for the inner code alone",
    ),
];

pub(crate) fn patterns_match_the_expected_code() -> Table {
    Table::new(
        "pattern::patterns_match_the_expected_code",
        ROWS,
        |(language, _, pattern, _)| format!("{language}: {pattern}"),
        |(language, text, pattern, wanted)| assert_eq!(got(language, text, pattern), *wanted),
    )
}

fn got(language: &str, text: &str, pattern: &str) -> String {
    let language = Language::of_name(language).unwrap_or_else(|| panic!("{language}"));
    let pattern = match Pattern::read(language, pattern) {
        Ok(pattern) => pattern,
        Err(error) => return format!("no: {error}"),
    };
    let tree = language.parse(text).unwrap_or_else(|error| panic!("{error}"));
    let fits = tree.fits(&pattern).unwrap_or_else(|error| panic!("{error}"));
    assert!(fits.is_empty() || pattern.may_fit(text), "{text}");
    let words =
        |range: &std::ops::Range<usize>| text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = fits.iter().map(|fit| {
        let line = text[..fit.range.start].matches('\n').count() + 1;
        let holes = fit.holes.iter().map(|hole| {
            let inside = hole.range.as_ref().map_or_else(String::new, words);
            format!(" {}={inside}", hole.name)
        });
        format!("{line}{}", holes.collect::<String>())
    });
    fits.collect::<Vec<_>>().join("; ")
}
