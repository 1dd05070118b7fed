//! Tests of investigations and analyses of a small project, without a model.

use crate::common;
use toolpost_test_rows::each_async;

use common::World;
use std::time::Duration;
use toolpost_engine::{
    Fresh, Kind,
    operations::{
        analyze::{self, Analyze, Depth},
        investigate::{EndReason, Investigate, Limits, Output, Request},
    },
};

const FILES: [(&str, &str); 5] = [
    (
        "shop/cart.py",
        "class Cart:\n    def __init__(self):\n        self.prices = []\n\n    def total(self):\n        return sum(self.prices) + shipping(self)\n\n\ndef shipping(cart):\n    return 5\n",
    ),
    ("shop/checkout.py", "from shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    return cart.total()\n"),
    ("shop/mail.py", "def send(address):\n    print(address)\n"),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 5\n",
    ),
    (
        "main.py",
        "from shop.checkout import pay\nfrom shop.cart import Cart\n\nif __name__ == '__main__':\n    pay(Cart())\n",
    ),
];

async fn ask(objective: &str, change: impl FnOnce(Request) -> Request) -> Output {
    let world = World::new(&FILES);
    let base = world.engine.resolve(".").unwrap();
    let request = change(Request::of(objective.to_owned(), base));
    world.run::<Investigate>(request, world.cx(Fresh::NOT_ASKED)).await.unwrap()
}

/// Checks that every claim cites locations, and that these lines exist in the project.
fn is_cited(output: &Output) {
    for finding in output.findings.iter().chain(&output.recommended) {
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        for place in &finding.evidence {
            let (path, line) = place.rsplit_once(':').unwrap();
            let text = FILES.iter().find(|(name, _)| *name == path).unwrap_or_else(|| panic!("{place}")).1;
            assert!((1..=text.lines().count()).contains(&line.parse().unwrap()), "{place}");
        }
    }
}

#[tokio::test]
async fn queried_symbol_is_the_first_finding() {
    let rows = [
        ("Where is Cart.total computed?", "Cart.total", "shop/cart.py:5"),
        ("How is an address sent by mail?", "send", "shop/mail.py:1"),
        ("who decides what shipping costs", "shipping", "shop/cart.py:9"),
        ("`pay` in shop/checkout.py", "pay", "shop/checkout.py:4"),
    ];
    each_async(rows, async |(objective, name, place)| {
        let output = ask(objective, |request| request).await;
        is_cited(&output);
        let first = &output.findings[0];
        assert_eq!(
            (first.name.as_str(), format!("{}:{}", first.path, first.first_line).as_str()),
            (name, place),
            "{objective}: {:#?}",
            output.findings
        );
        assert_eq!(output.meta.ended, EndReason::Settled, "{objective}");
        // A ground of doubt is added if no name of a location is in the objective.
        let grounds = if objective == "How is an address sent by mail?" { 4 } else { 3 };
        assert_eq!(output.grounds.len(), grounds, "{objective}: {:?}", output.grounds);
    })
    .await;
}

/// A report gives the counted grounds of its findings, and warns if they are weak. It gives no confidence: a number that
/// is not measured misleads.
#[tokio::test]
async fn grounds_are_counts_and_name_weak_evidence() {
    let output = ask("Where is Cart.total computed?", |request| request).await;
    let words = "words of the objective that occur in the best 5 locations: ";
    assert!(output.grounds[0].starts_with(words), "{:?}", output.grounds);
    let unnamed = ask("who decides what parcels cost", |request| request).await;
    let weak = "no location has a name from the objective, so the right one may be further down the list";
    assert_eq!(unnamed.grounds.last().unwrap(), weak, "{unnamed:#?}");
    let limits = Limits { turns: 1, calls: 20 };
    let short = ask("Where is Cart.total computed?", |request| Request { limits, ..request }).await;
    assert_eq!(short.grounds.last().unwrap(), "no uses were followed, because a limit was reached first");
    let none =
        ask("Where is Cart.total computed?", |request| Request { time: Some(Duration::ZERO), ..request });
    assert_eq!(none.await.grounds, ["nothing was found"]);
    for output in [output, unnamed, short] {
        let data = serde_json::to_value(&output).unwrap();
        assert!(data.get("confidence").is_none(), "{data}");
    }
}

#[tokio::test]
async fn findings_include_the_users_of_a_found_symbol() {
    let output = ask("Where is Cart.total computed?", |request| request).await;
    let pay = output.findings.iter().find(|finding| finding.name == "pay").unwrap();
    assert!(pay.claim.contains("uses Cart.total (call, proved)"), "{}", pay.claim);
    assert!(pay.evidence.contains(&"shop/checkout.py:5".to_owned()), "{pay:?}");
    let total = output.recommended.iter().find(|one| one.name == "Cart.total").unwrap();
    assert_eq!(
        (total.claim.as_str(), total.evidence.join(" ").as_str()),
        (
            "If you change function Cart.total (shop/cart.py:5-6), check its 1 use and 1 use in tests.",
            "shop/cart.py:5 shop/checkout.py:5 tests/test_cart.py:5"
        )
    );
}

/// The lines of a finding begin at the name of its symbol, after comments, as in a symbol search. A claim names each
/// user of its symbol once.
#[tokio::test]
async fn claims_have_the_lines_of_symbols_and_name_each_user_once() {
    let world = World::new(&[
        ("shop/ident.py", "class Id:\n    pass\n"),
        (
            "shop/group.py",
            "from shop.ident import Id\n\n\n# A group of arguments,\n# with its conflicts.\nclass ArgGroup:\n    first: Id\n    \
             second: Id\n    third: Id\n\n    def conflicts(self, other: Id) -> Id:\n        return other\n",
        ),
    ]);
    let base = world.engine.resolve(".").unwrap();
    let request = Request::of("Which conflicts does an ArgGroup have?".to_owned(), base);
    let output = world.run::<Investigate>(request, world.cx(Fresh::NOT_ASKED)).await.unwrap();
    let finding = |name: &str| {
        let found = output.findings.iter().find(|finding| finding.name == name);
        found.unwrap_or_else(|| panic!("{name} is missing: {:#?}", output.findings))
    };
    let group = finding("ArgGroup");
    assert!(group.claim.starts_with("class ArgGroup (shop/group.py:6-12) "), "{}", group.claim);
    assert_eq!((group.first_line, group.last_line), (6, 12));
    let id = finding("Id");
    assert!(
        id.claim.contains("is used by ArgGroup at shop/group.py:7 and at 4 more locations (type, proved)"),
        "{}",
        id.claim
    );
    for finding in &output.findings {
        for relation in ["is used by ", "uses "] {
            let mut users: Vec<&str> = finding
                .claim
                .split(relation)
                .skip(1)
                .filter_map(|rest| rest.split_whitespace().next())
                .collect();
            let all = users.len();
            users.sort_unstable();
            users.dedup();
            assert_eq!(users.len(), all, "{}", finding.claim);
        }
    }
    assert_eq!(output.meta.keywords.iter().filter(|word| word.to_lowercase() == "arggroup").count(), 1);
}

#[tokio::test]
async fn unmatched_words_and_scopes_are_reported_as_gaps() {
    let output = ask("frobnicate the cart", |request| request).await;
    assert!(output.gaps.contains(&"no searched file contains frobnicate".to_owned()), "{:?}", output.gaps);
    let output =
        ask("total", |request| Request { scope: vec!["shop/mail.py".into(), "none/*".into()], ..request })
            .await;
    assert!(output.findings.iter().all(|finding| finding.path == "shop/mail.py"), "{:?}", output.findings);
    assert!(output.gaps.contains(&"no file matches the scope none/*".to_owned()), "{:?}", output.gaps);
}

#[tokio::test]
async fn limits_are_enforced_and_reported_as_gaps() {
    let rows = [
        (1, 40, EndReason::Turns, "all 1 turns were used, so "),
        (8, 1, EndReason::Calls, "all 1 tool calls were used, so "),
        (8, 4, EndReason::Calls, "all 4 tool calls were used, so "),
    ];
    for (turns, calls, ended, gap) in rows {
        let limits = Limits { turns, calls };
        let output = ask("Where is Cart.total computed?", |request| Request { limits, ..request }).await;
        is_cited(&output);
        assert_eq!(output.meta.ended, ended);
        assert!(output.meta.turns <= turns && output.meta.calls <= calls, "{:?}", output.meta);
        assert!(output.gaps.iter().any(|own| own.starts_with(gap)), "{:?}", output.gaps);
        assert!(!output.findings.is_empty());
    }
    let output =
        ask("Where is Cart.total computed?", |request| Request { time: Some(Duration::ZERO), ..request })
            .await;
    assert_eq!((output.meta.ended, output.findings.len()), (EndReason::Time, 0));
}

#[tokio::test]
async fn objective_without_searchable_words_is_refused() {
    let world = World::new(&FILES);
    let base = world.engine.resolve(".").unwrap();
    let request = Request::of("what is it?".to_owned(), base);
    let failure = world.run::<Investigate>(request, world.cx(Fresh::NOT_ASKED)).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.what.as_str()),
        (Kind::Invalid, "The objective has no word to search for.")
    );
}

#[tokio::test]
async fn analysis_reports_modules_cycles_hotspots_and_tests() {
    let world = World::new(&FILES);
    world.put("a/x.py", "from b.y import f\n\n\ndef g():\n    return f()\n");
    world.put("b/y.py", "from a.x import g\n\n\ndef f():\n    return g()\n");
    let base = world.engine.resolve(".").unwrap();
    let request =
        analyze::Request { base, depth: Depth::Normal, question: Some("Where is shipping?".to_owned()) };
    let output = world.run::<Analyze>(request, world.cx(Fresh::NOT_ASKED)).await.unwrap();
    let modules: Vec<String> =
        output.modules.iter().map(|module| format!("{}>{}", module.name, module.uses.join(","))).collect();
    assert_eq!(modules, [".>shop", "a>b", "b>a", "shop>", "tests>"]);
    assert_eq!(output.rings, [["a", "b"]]);
    let hotspots: Vec<(&str, usize)> =
        output.hotspots.iter().map(|one| (one.path.as_str(), one.used_by)).collect();
    assert_eq!(hotspots, [("shop/cart.py", 2), ("a/x.py", 1), ("b/y.py", 1), ("shop/checkout.py", 1)]);
    let entries: Vec<String> =
        output.entries.iter().map(|entry| format!("{}:{}", entry.path, entry.line)).collect();
    assert_eq!(entries, ["main.py:4"]);
    let tests = &output.tests;
    assert_eq!((tests.tests, tests.code, tests.reached), (1, 6, 1));
    assert_eq!(tests.map[0].files, ["shop/cart.py"]);
    assert_eq!(output.answer.unwrap().findings[0].name, "shipping");
}
