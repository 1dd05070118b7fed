//! Tests on generated programs that an answer drops a call only if the call provably leaves the program.
//!
//! Each program defines a method in a number of classes, and calls the method on receivers of many kinds. The
//! sign at the end of a line gives the allowed outcome: `+` the call must be an edge, `?` it must be listed,
//! `-` it may be dropped.

use crate::common::{go_on, index, write};

use std::collections::BTreeSet;

use toolpost_symbols::{At, Direction, Relation};

/// Names of the method: distinctive ones, and ones that libraries define as well.
const NAMES: [&str; 5] = ["total_price", "run", "get", "close", "items"];

/// Numbers of classes with the method; the last one is more than an answer lists as candidates.
const CLASSES: [usize; 4] = [1, 2, 5, 12];

/// The templates of a language: the name and the head of the file with the classes, one class, and the name
/// and the text of the file with the calls.
struct Template {
    language: &'static str,
    definitions: &'static str,
    head: &'static str,
    /// `{n}` is the number of the class and `{m}` the method.
    class: &'static str,
    calls: &'static str,
    text: &'static str,
}

const TEMPLATES: [Template; 6] = [
    Template {
        language: "python",
        definitions: "shop.py",
        head: "class Bare:\n    pass\n\n\ndef make(): ...\n\n\n",
        class: "class Own{n}:\n    def {m}(self): ...\n\n\n",
        calls: "use.py",
        text: "import other\nfrom other import Foreign\nfrom shop import Bare, Own0, make\n\n\nclass Sub(Foreign): ...\n\n\n\
               def use(x, own: Own0, bare: Bare, foreign: Foreign, some: Missing, sub: Sub):\n    own.{m}() #+\n    \
               Own0().{m}() #+\n    x.{m}() #?\n    bare.{m}() #?\n    some.{m}() #?\n    make().{m}() #?\n    x.y.{m}() #?\n    \
               x[0].{m}() #?\n    x().{m}() #?\n    Bare().{m}() #?\n    (own if x else bare).{m}() #?\n    for each in x:\n        \
               each.{m}() #?\n    with x as opened:\n        opened.{m}() #?\n    one, two = x\n    one.{m}() #?\n    \
               taken = x.{m} #?\n    [y.{m}() for y in x] #?\n    (lambda z: z.{m}())(x) #?\n    foreign.{m}() #-\n    \
               Foreign().{m}() #-\n    other.{m}() #-\n    'text'.{m}() #-\n    sub.{m}() #?\n",
    },
    Template {
        language: "typescript",
        definitions: "shop.ts",
        head: "export class Bare {}\nexport function make(): any { return null }\n",
        class: "export class Own{n} { {m}() {} }\n",
        calls: "use.ts",
        text: "import other, { Foreign } from 'other'\nimport { Bare, Own0, make } from './shop'\n\
               export function use(x: any, own: Own0, bare: Bare, foreign: Foreign, y, u: unknown) {\n  own.{m}() //+\n  \
               new Own0().{m}() //+\n  x.{m}() //?\n  bare.{m}() //?\n  y.{m}() //?\n  make().{m}() //?\n  x.z.{m}() //?\n  \
               x[0].{m}() //?\n  x().{m}() //?\n  new Bare().{m}() //?\n  ;(x ? own : bare).{m}() //?\n  \
               for (const each of x) each.{m}() //?\n  const { one } = x\n  one.{m}() //?\n  y?.{m}() //?\n  y!.{m}() //?\n  \
               x.map(z => z.{m}()) //?\n  foreign.{m}() //-\n  new Foreign().{m}() //-\n  'text'.{m}() //-\n}\n",
    },
    Template {
        language: "rust",
        definitions: "src/shop.rs",
        head: "pub struct Bare;\npub fn make<T>() -> T { todo!() }\n",
        class: "pub struct Own{n};\nimpl Own{n} { pub fn {m}(&self) {} }\n",
        calls: "src/lib.rs",
        text: "pub mod shop;\nuse other::Foreign;\nuse shop::{make, Bare, Own0};\n\
               pub fn use_all<T>(x: T, own: Own0, bare: Bare, foreign: Foreign, all: Vec<T>) {\n    own.{m}(); //+\n    \
               (&own).{m}(); //+\n    x.{m}(); //?\n    bare.{m}(); //?\n    make().{m}(); //?\n    x.y.{m}(); //?\n    \
               x[0].{m}(); //?\n    let (one, two) = make();\n    one.{m}(); //?\n    for each in make() { each.{m}(); } //?\n    \
               assert!(x.{m}()); //?\n    with(|z| z.{m}()); //?\n    Bare.{m}(); //?\n    foreign.{m}(); //-\n}\n",
    },
    Template {
        language: "go",
        definitions: "shop.go",
        head: "package shop\n\ntype Bare struct{}\n\nfunc make_it() interface{} { return nil }\n\n",
        class: "type Own{n} struct{}\n\nfunc (o Own{n}) {m}() {}\n\n",
        calls: "use.go",
        text: "package shop\n\nimport \"example.com/other\"\n\n\
               func use(own Own0, bare Bare, foreign other.Foreign, some Missing) {\n\town.{m}() //+\n\tOwn0{}.{m}() //+\n\t\
               bare.{m}() //?\n\tsome.{m}() //?\n\tmake_it().{m}() //?\n\tsome.y.{m}() //?\n\tsome[0].{m}() //?\n\t\
               one, two := make_it()\n\tone.{m}() //?\n\tfor _, each := range some {\n\t\teach.{m}() //?\n\t}\n\t\
               foreign.{m}() //-\n\tother.{m}() //-\n}\n",
    },
    Template {
        language: "java",
        definitions: "Shop.java",
        head: "class Bare {}\nclass Maker { static Object make() { return null; } }\n",
        class: "class Own{n} { void {m}() {} }\n",
        calls: "Use.java",
        text: "import other.Foreign;\nclass Sub extends Foreign {}\nclass Use {\n  \
               <T> void use(Own0 own, Bare bare, Foreign foreign, T some, Missing gone, Sub sub) {\n    own.{m}(); //+\n    \
               new Own0().{m}(); //+\n    bare.{m}(); //?\n    some.{m}(); //?\n    gone.{m}(); //?\n    gone.y.{m}(); //?\n    \
               gone.make().{m}(); //?\n    new Bare().{m}(); //?\n    (own == null ? own : own).{m}(); //?\n    \
               var one = gone.make();\n    one.{m}(); //?\n    for (var each : gone.all()) each.{m}(); //?\n    \
               gone.each(z -> z.{m}()); //?\n    foreign.{m}(); //-\n    new Foreign().{m}(); //-\n    sub.{m}(); //?\n  }\n}\n",
    },
    Template {
        language: "php",
        definitions: "shop.php",
        head: "<?php\nclass Bare {}\n",
        class: "class Own{n} { function {m}() {} }\n",
        calls: "use.php",
        text: "<?php\nfunction use_all($x, Own0 $own, Bare $bare) {\n  $own->{m}(); //?\n  $x->{m}(); //?\n  $bare->{m}(); //?\n  \
               make()->{m}(); //?\n  $x->y->{m}(); //?\n  $x[0]->{m}(); //?\n  (new Bare)->{m}(); //?\n  \
               foreach ($x as $each) { $each->{m}(); } //?\n  $x?->{m}(); //?\n}\n",
    },
];

#[test]
fn a_call_is_dropped_only_if_it_leaves_the_program() {
    let mut wrong = Vec::new();
    for template in &TEMPLATES {
        for name in NAMES {
            for classes in CLASSES {
                wrong.extend(check(template, name, classes));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Returns the calls of one program that an answer treats in a way that their signs do not allow.
fn check(template: &Template, name: &str, classes: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let fill = |text: &str, number: usize| text.replace("{n}", &number.to_string()).replace("{m}", name);
    let all: String = (0..classes).map(|number| fill(template.class, number)).collect();
    write(folder.path(), template.definitions, &format!("{}{all}", fill(template.head, 0)));
    let text = fill(template.text, 0);
    write(folder.path(), template.calls, &text);
    let index = index(folder.path(), None);
    let graph = index.graph(&go_on).unwrap();
    let (callee, caller) = (format!("Own0.{name}"), "use");
    let symbols = graph.files().flat_map(|file| {
        let count = u32::try_from(graph.file(file).record.symbols.len()).unwrap();
        (0..count).map(move |symbol| At { file, symbol })
    });
    let symbols: Vec<At> = symbols.collect();
    let qualified = |at: &At| graph.text(graph.symbol(*at).qualified).to_owned();
    let callee = *symbols.iter().find(|at| qualified(at) == callee).unwrap();
    let caller = *symbols
        .iter()
        .rev()
        .find(|at| qualified(at).rsplit('.').next().unwrap().starts_with(caller))
        .unwrap();
    // The uses of the method, and the symbols that the function uses.
    let into = graph.edges(callee, Direction::In, Relation::Usage, &|_| true);
    let out = graph.edges(caller, Direction::Out, Relation::Usage, &|_| true);
    let of = |edges: &toolpost_symbols::Edges| -> (BTreeSet<u32>, BTreeSet<u32>) {
        let own = graph.by_path(template.calls).unwrap();
        let uses = edges.edges.iter().filter(|edge| edge.file == own);
        let open = edges.unresolved.iter().filter(|one| one.file == own);
        (uses.map(|edge| edge.place).collect(), open.map(|one| one.place).collect())
    };
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(sign) = line.chars().last().filter(|sign| "+?-".contains(*sign)) else { continue };
        let start: usize = text.lines().take(number).map(|line| line.len() + 1).sum();
        let place = u32::try_from(start + line.rfind(name).unwrap()).unwrap();
        for (side, (uses, open)) in [("callers", of(&into)), ("callees", of(&out))] {
            let listed = uses.contains(&place) || open.contains(&place);
            let fits = match sign {
                '+' => uses.contains(&place),
                '?' => listed,
                _ => true,
            };
            if !fits {
                wrong.push(format!("{}, {classes} classes, {side}: {line}", template.language));
            }
        }
    }
    wrong
}
