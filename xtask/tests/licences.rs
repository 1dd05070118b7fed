//! Licence expressions and sources, checked against a list.

use serde_json::json;
use toolpost_test_rows::each;
use xtask::licences::{LicenceRules, judge, satisfied};

#[test]
fn licence_expressions_are_evaluated() {
    let rows = [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0 OR LGPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("MIT/Apache-2.0", true),
        ("GPL-2.0/MIT", true),
        ("(MIT OR GPL-3.0) AND ISC", true),
        ("(MIT OR GPL-3.0) AND GPL-2.0", false),
        ("GPL-3.0 AND MIT OR ISC", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0 WITH Classpath-exception-2.0", false),
        ("(MIT", false),
        ("MIT ISC", false),
        ("", false),
    ];
    let allowed = |licence: &str| ["MIT", "ISC", "Apache-2.0"].contains(&licence);
    each(rows, |(expression, wanted)| {
        assert_eq!(satisfied(expression, &allowed), wanted, "{expression}");
    });
}

#[test]
fn packages_with_other_licences_or_sources_are_reported() {
    let allowed = LicenceRules::read(
        "[licenses]\nallow = [\"MIT\"]\nexceptions = [{ crate = \"tables\", allow = [\"Unicode-3.0\"] }]\n\
         [sources]\nallow-registry = [\"https://good.example/index\"]\n",
    )
    .unwrap();
    let good = "registry+https://good.example/index";
    let rows = [
        (json!({"name": "a", "version": "1", "license": "MIT", "source": good}), vec![]),
        (json!({"name": "a", "version": "1", "license": "MIT", "source": null}), vec![]),
        (json!({"name": "tables", "version": "1", "license": "MIT AND Unicode-3.0", "source": good}), vec![]),
        (
            json!({"name": "a", "version": "1", "license": "MIT AND Unicode-3.0", "source": good}),
            vec!["a 1: its licence `MIT AND Unicode-3.0` is not allowed; use another crate"],
        ),
        (
            json!({"name": "a", "version": "1", "license": null, "source": good}),
            vec![
                "a 1: it states no licence; remove the dependency, or find its licence and add an exception",
            ],
        ),
        (
            json!({"name": "a", "version": "1", "license": "MIT", "source": "git+https://good.example/a"}),
            vec![
                "a 1: it comes from `git+https://good.example/a`; only the registries of deny.toml are allowed",
            ],
        ),
    ];
    each(rows, |(package, wanted)| {
        assert_eq!(judge(&package, &allowed), wanted, "{package}");
    });
}
