//! Tests that the resolution ends for types that refer to themselves or to each other.

use crate::common::{calls, index, write};

use toolpost_test_rows::each;

/// The Python protocols whose methods return an object of another class, and code that uses them.
const PROTOCOLS: [(&str, &str); 9] = [
    ("__iter__", "for x in s:\n        x.encode()"),
    ("__iter__", "[x.encode() for x in s]"),
    ("__aiter__", "async for x in s:\n        x.encode()"),
    ("__getitem__", "s[0][1].encode()"),
    ("__call__", "s()().encode()"),
    ("__enter__", "with s as x:\n        x.encode()"),
    ("__aenter__", "async with s as x:\n        x.encode()"),
    ("__next__", "for x in s:\n        x.encode()"),
    ("__getattr__", "s.any.other.encode()"),
];

#[test]
fn python_protocols_that_return_their_own_class_end() {
    let rows = PROTOCOLS.into_iter().flat_map(|(method, body)| {
        // Each list is a cycle of classes: the method of a class returns the next one.
        [vec!["S"], vec!["S", "T"], vec!["S", "T", "U"]].map(|cycle| (method, body, cycle))
    });
    each(rows, |(method, body, cycle)| {
        for returned in
            ["\"NEXT\"", "NEXT", "Self", "typing.Self", "Iterator[NEXT]", "NEXT | None", "list[NEXT]"]
        {
            let mut text = "import typing\nfrom typing import Iterator, Self\n".to_owned();
            for (number, class) in cycle.iter().enumerate() {
                let next = cycle[(number + 1) % cycle.len()];
                let returned = returned.replace("NEXT", next);
                text.push_str(&format!(
                    "class {class}:\n    def {method}(self) -> {returned}: ...\n    def encode(self): ...\n"
                ));
            }
            text.push_str(&format!("async def use(s: S):\n    {body}\n"));
            let root = tempfile::tempdir().unwrap();
            write(root.path(), "a.py", &text);
            let all = calls(&index(root.path(), None));
            assert!(all.iter().any(|call| call.contains("encode")), "{text}\n{all:?}");
        }
    });
}

#[test]
fn an_iterator_gives_the_elements_of_its_next_method() {
    let root = tempfile::tempdir().unwrap();
    let text = "class Item:\n    def encode(self): ...\nclass S:\n    def __iter__(self) -> \"S\": return self\n    \
                def __next__(self) -> Item: ...\ndef use(s: S):\n    for x in s:\n        x.encode()\n";
    write(root.path(), "a.py", text);
    assert_eq!(calls(&index(root.path(), None)), ["a.py:encode -> a.py:Item.encode"]);
}

#[test]
fn aliases_that_refer_to_each_other_end() {
    let rows = [
        (
            "a.ts",
            "type A = B;\ntype B = A;\nfunction use(a: A) { a.run(); a[0].run(); a().run(); for (const x of a) x.run(); }\n",
        ),
        ("a.ts", "type A = A[];\nfunction use(a: A) { for (const x of a) { x.run(); } a[0][0].run(); }\n"),
        ("a.ts", "interface A extends B {}\ninterface B extends A {}\nfunction use(a: A) { a.run(); }\n"),
        (
            "a.rs",
            "type A = B;\ntype B = A;\nfn f(a: A) { a.run(); for x in a { x.run(); } a[0].run(); a().run(); }\n",
        ),
        (
            "a.rs",
            "struct S;\nimpl Iterator for S { type Item = S; fn next(&mut self) -> Option<S> { None } }\nfn f(s: S) { for x in s { x.run(); } }\n",
        ),
        (
            "a.go",
            "package a\ntype A B\ntype B A\nfunc f(a A) { a.run(); for _, x := range a { x.run() }; a[0].run(); a().run() }\n",
        ),
        ("a.go", "package a\ntype A []A\nfunc f(a A) { for _, x := range a { x.run() }; a[0][0].run() }\n"),
        (
            "a.c",
            "typedef struct a b;\nstruct a { b *next; void (*run)(void); };\nvoid f(b *x) { x->next->next->run(); }\n",
        ),
        (
            "A.java",
            "class A implements Iterable<A> { A next() { return this; } void run() {} void f(A a) { for (A x : a) x.next().next().run(); } }\n",
        ),
        (
            "a.py",
            "A = B\nB = A\ndef f(a: A):\n    a.run(); a[0].run(); a().run()\n    for x in a:\n        x.run()\n",
        ),
        ("a.py", "class A(B): ...\nclass B(A): ...\ndef f(a: A):\n    for x in a:\n        x.run()\n"),
    ];
    each(rows, |(name, text)| {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), name, text);
        let all = calls(&index(root.path(), None));
        assert!(all.iter().any(|call| call.contains("run")), "{text}\n{all:?}");
    });
}
