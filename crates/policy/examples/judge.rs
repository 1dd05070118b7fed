//! Reads shell commands from standard input, separated by NUL bytes, and prints `allow`, `ask` or `deny` for
//! each, one per line.
//!
//! In addition to the built-in rules, a rule allows `aa` and `bb`; `fuzz/commands.py` compares the decisions with the
//! commands that bash runs.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::io::Read;

use toolpost_policy::{Approval, Command, Decision, Line, Policy, RuleSource};
use toolpost_workspace::{Options, Workspace};

const RULE: &str = "[[rule]]\ntouch = [\"execute\"]\ncommands = [\"aa\", \"bb\"]\ndecide = \"allow\"\nwhy = \"They do nothing.\"\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base = tempfile::tempdir()?;
    let options = Options { roots: vec![base.path().to_path_buf()], ..Options::default() };
    let (workspace, _) = Workspace::open(options)?;
    let directory = workspace.resolve(".")?;
    let policy = Policy::built_in()?.with(RULE, &RuleSource::Operator("rules.toml".to_owned()))?;
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines)?;
    for line in lines.split('\0') {
        let line = Line::Shell(line.to_owned());
        let command = Command { line, directory: directory.clone(), approval: Approval::ByRules };
        println!(
            "{}",
            match policy.explain(&command).decision {
                Decision::Allow => "allow",
                Decision::Ask => "ask",
                Decision::Deny => "deny",
            }
        );
    }
    Ok(())
}
