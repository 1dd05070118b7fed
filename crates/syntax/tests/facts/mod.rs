//! Text form of the facts about a file, for comparison.

use toolpost_syntax::{Base, Chain, Facts, Step};

/// Formats facts, one per line.
pub(crate) fn words(text: &str, facts: &Facts) -> String {
    let mut out = String::new();
    symbols(text, facts, &mut out);
    let of = |range: &std::ops::Range<usize>| &text[range.clone()];
    let chain = |chain: &Option<Chain>, sign: &str| {
        chain.as_ref().map_or_else(String::new, |chain| format!("{sign}{}", chained(text, chain)))
    };
    let within = |at: Option<usize>| at.map_or("-", |at| facts.symbols[at].qualified.as_str());
    for one in &facts.references {
        let usage = format!("{:?}", one.usage).to_lowercase();
        let receiver = chain(&one.receiver, " of ");
        out.push_str(&format!("{usage} {}{receiver} in {}\n", of(&one.at), within(one.within)));
    }
    for one in &facts.imports {
        let alias = one.alias.as_ref().map_or_else(String::new, |alias| format!(" as {alias}"));
        out.push_str(&format!("import {:?} {:?}{alias}; {:?}\n", one.module, one.what, one.reach));
    }
    for one in &facts.bindings {
        let sort = format!("{:?}", one.sort).to_lowercase();
        let hint = one.hint.as_ref().map_or_else(String::new, |hint| format!(": {}", of(hint)));
        let scope = one.scope.map_or_else(|| "file".to_owned(), |scope| scope.to_string());
        let place = one.place.map_or_else(String::new, |place| format!("#{place}"));
        out.push_str(&format!(
            "{sort}{place} {}{hint}{} in {scope}\n",
            of(&one.at),
            chain(&one.value, " = ")
        ));
    }
    let errors: Vec<&str> = facts.errors.iter().map(of).collect();
    if !errors.is_empty() {
        out.push_str(&format!("errors {errors:?}\n"));
    }
    out
}

fn symbols(text: &str, facts: &Facts, out: &mut String) {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    for one in &facts.symbols {
        let (first, last) = (line(one.span.start), line(one.span.end - 1));
        let modifiers: Vec<String> = one.modifiers.iter().map(|word| format!(" +{word}")).collect();
        let (modifiers, signature) = (modifiers.concat(), &text[one.signature.clone()]);
        let (kind, name) = (one.kind.name(), &one.qualified);
        out.push_str(&format!("{first}-{last} {kind} {name}{modifiers}: {signature:?}\n"));
        let at = one.at.as_ref().map(|at| &text[at.clone()]);
        assert!(at.is_none_or(|at| at == one.name || one.name.contains('#')), "{at:?} {}", one.name);
        for (what, part) in [("docs", &one.docs), ("decorators", &one.decorators), ("type", &one.hint)] {
            if let Some(part) = part {
                out.push_str(&format!("    {what} {:?}\n", &text[part.clone()]));
            }
        }
    }
}

fn chained(text: &str, chain: &Chain) -> String {
    let mut out = match &chain.base {
        Base::Name(at) => text[at.clone()].to_owned(),
        Base::Own => "(own)".to_owned(),
        Base::Above => "(above)".to_owned(),
        Base::New(at) => format!("(new {})", &text[at.clone()]),
        Base::Literal(kind) => format!("(literal {kind})"),
        Base::Other => "(other)".to_owned(),
    };
    for step in &chain.steps {
        match step {
            Step::Member(at) => out.push_str(&format!(".{}", &text[at.clone()])),
            Step::Call => out.push_str("()"),
            Step::Index => out.push_str("[]"),
            Step::Handed { argument, parameter } => out.push_str(&format!("(→{argument}.{parameter})")),
        }
    }
    out
}
