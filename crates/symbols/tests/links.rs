//! Links between files: an import of a file counts, even if none of its symbols is used.

use crate::common;

use common::{go_on, index, write};

/// Returns the imports between files, and the files with uses whose target is not certain.
fn links(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| write(root.path(), path, text));
    let index = index(root.path(), None);
    let graph = index.graph(&go_on).unwrap();
    let links = graph.links(&go_on).unwrap();
    let path = |id| graph.file(id).path.to_string();
    let mut imports: Vec<String> =
        links.imports.iter().map(|(from, to)| format!("{} -> {}", path(*from), path(*to))).collect();
    imports.sort();
    let mut open: Vec<String> = links.open.keys().map(|id| path(*id)).collect();
    open.sort();
    (imports, open)
}

#[test]
fn an_import_of_a_file_links_the_two_files() {
    let (imports, open) = links(&[
        ("package.json", "{\"name\": \"p\", \"main\": \"app.js\"}"),
        (
            "app.js",
            "const { a } = require('./lib/a')\nvar b = wrap(require('./lib/b'))\nmodule.exports = { a, b }\n",
        ),
        ("lib/a.js", "exports.a = 1\n"),
        ("lib/b.js", "module.exports = 2\n"),
        ("lib/c.ts", "import './d'\nexport const lazy = () => import('./e')\nimport old = require('./a')\n"),
        ("lib/d.ts", "export {}\n"),
        ("lib/e.ts", "export {}\n"),
        ("test/app.test.js", "require('..')\nconst fs = require('fs')\nrequire('./none')\n"),
        ("pkg/__init__.py", ""),
        ("pkg/mod.py", "X = 1\n"),
        ("use.py", "import os\nfrom pkg import mod\n"),
    ]);
    let wanted = [
        "app.js -> lib/a.js",
        "app.js -> lib/b.js",
        "lib/c.ts -> lib/a.js",
        "lib/c.ts -> lib/d.ts",
        "lib/c.ts -> lib/e.ts",
        "test/app.test.js -> app.js",
        "use.py -> pkg/__init__.py",
        "use.py -> pkg/mod.py",
    ];
    assert_eq!(imports, wanted);
    assert!(
        open.contains(&"test/app.test.js".to_owned()) && !open.contains(&"use.py".to_owned()),
        "{open:?}"
    );
}

/// A `tsconfig.json` can name a directory outside the root, of which nothing is known. The outer files still count.
#[test]
fn paths_outside_the_root_do_not_end_the_search_for_a_module() {
    let (imports, _) = links(&[
        ("tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]}}}"#),
        ("app/tsconfig.json", r#"{"compilerOptions": {"baseUrl": "../.."}}"#),
        ("app/use.ts", "import { a } from '@/a'\n"),
        ("src/a.ts", "export const a = 1\n"),
    ]);
    assert_eq!(imports, ["app/use.ts -> src/a.ts"]);
}

#[test]
fn the_blank_identifier_of_go_is_not_a_name() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "go.mod", "module m\n");
    write(
        root.path(),
        "a.go",
        "package m\n\ntype I interface{}\n\nvar _ I = T{}\n\ntype T struct{}\n\nconst _ = 1\n",
    );
    write(
        root.path(),
        "b.go",
        "package m\n\nfunc f(m map[int]T) {\n\tfor _, t := range m {\n\t\t_ = t\n\t}\n}\n",
    );
    let index = index(root.path(), None);
    let graph = index.graph(&go_on).unwrap();
    let links = graph.links(&go_on).unwrap();
    let named: Vec<&str> = links.symbols.iter().map(|link| graph.text(graph.symbol(link.to).name)).collect();
    assert!(named.contains(&"T") && !named.contains(&"_"), "{named:?}");
}
