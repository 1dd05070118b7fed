//! Tests of rules about hosts: the reason of each decision names the rule, its file and line.

use toolpost_policy::{Decision, Host, Policy, RuleSource, Touch};
use toolpost_test_rows::each;

const RULES: &str = r#"[[rule]]
touch = ["fetch"]
hosts = ["*.example.com", "docs.rs"]
decide = "allow"
why = "Documentation."

[[rule]]
touch = ["fetch"]
hosts = ["upload.example.com", "*.internal.example.com:8443"]
decide = "deny"
why = "Uploads leave the company."
"#;

#[test]
fn a_refused_host_names_the_rule_that_decides() {
    let policy =
        Policy::built_in().unwrap().with(RULES, &RuleSource::Operator("policy.toml".to_owned())).unwrap();
    let denied = |pattern: &str| {
        format!(
            "the rule for `{pattern}` in Toolpost's policy denies it (policy.toml, line 7): Uploads leave the company."
        )
    };
    let none = "no rule of Toolpost's policy allows this host".to_owned();
    let own = "Toolpost reaches a local or private host only if one of the operator's rules names that host."
        .to_owned();
    let rows = [
        (Host::new("docs.rs"), Decision::Allow, "Documentation.".to_owned()),
        (Host::new("api.example.com"), Decision::Allow, "Documentation.".to_owned()),
        (Host::new("upload.example.com"), Decision::Deny, denied("upload.example.com")),
        (Host::at("a.internal.example.com", 8443), Decision::Deny, denied("*.internal.example.com:8443")),
        (Host::new("other.org"), Decision::Ask, none),
        (Host::new("localhost"), Decision::Deny, own),
    ];
    each(rows, |(host, decision, why)| {
        let judged = policy.judge(&Touch::Fetch(host.clone()));
        assert_eq!((judged.decision, judged.why), (decision, why), "{host:?}");
    });
}
