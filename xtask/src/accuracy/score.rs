//! Precision and recall of call targets, per call site and per pair of caller and callee.

use super::code::{Code, Id};
use super::oracle::Truth;
use super::ours::{ToolpostAnswers, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Predicted definitions for each call site; `None` is a predicted target that is not a definition, which
/// always counts as wrong.
pub(super) type Predictions = Vec<Vec<Option<Id>>>;

/// A ratio of two counts: `part` of `whole`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ratio {
    pub(super) part: usize,
    pub(super) whole: usize,
}

impl Ratio {
    fn add(&mut self, counts: bool) {
        self.part += usize::from(counts);
        self.whole += 1;
    }

    /// Formats the ratio with three decimals; a dash for zero of zero.
    pub(super) fn shown(self) -> String {
        if self.whole == 0 {
            return "–".to_owned();
        }
        // Truncated instead of rounded, so that 1.000 means no error at all.
        let thousandths = self.part * 1000 / self.whole;
        format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

/// Precision and recall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Score {
    /// Share of the predictions that are correct.
    pub(super) site_precision: Ratio,
    /// Share of the sites with a target in the program whose target is predicted.
    pub(super) site_recall: Ratio,
    /// Share of the predicted pairs of caller and callee that are correct.
    pub(super) edge_precision: Ratio,
    /// Share of the true pairs of caller and callee that are predicted.
    pub(super) edge_recall: Ratio,
}

/// Compares predictions with the language server's answers, on the call sites whose target is a definition in
/// the program or outside it. Only sites for whose index `counts` returns true are counted.
pub(super) fn score(
    code: &Code,
    truths: &[Truth],
    said: &Predictions,
    counts: impl Fn(usize) -> bool,
) -> Score {
    let mut score = Score::default();
    let (mut true_edges, mut said_edges) = (BTreeSet::new(), BTreeSet::new());
    for (number, (site, (truth, said))) in code.sites.iter().zip(truths.iter().zip(said)).enumerate() {
        let right: &[Id] = match truth {
            Truth::Defined(ids) => ids,
            Truth::External => &[],
            Truth::Variable | Truth::Unknown => continue,
        };
        if !counts(number) {
            continue;
        }
        let from = (site.within, site.within.is_none().then_some(&site.path));
        for one in said {
            score.site_precision.add(one.is_some_and(|one| right.contains(&one)));
            said_edges.insert((from, *one));
        }
        if !right.is_empty() {
            score.site_recall.add(said.iter().flatten().any(|one| right.contains(one)));
            true_edges.extend(right.iter().map(|one| (from, Some(*one))));
        }
    }
    for edge in &said_edges {
        score.edge_precision.add(true_edges.contains(edge));
    }
    for edge in &true_edges {
        score.edge_recall.add(said_edges.contains(edge));
    }
    score
}

/// Counts of the definitions for which the index misses the target of a call, and of those that it nevertheless reports
/// as complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// Number of definitions that call a definition of the program.
    pub(super) definitions: usize,
    /// Number of definitions with a call whose true target the index does not list, at any level of certainty.
    pub(super) lacking: usize,
    /// Number of the definitions in `lacking` that the index nevertheless reports as complete, that is, without an
    /// unresolved call.
    pub(super) claiming: usize,
}

/// Counts the definitions for which the index misses the target of a call, and those that it nevertheless reports as
/// complete.
pub(super) fn claims(code: &Code, truths: &[Truth], ours: &ToolpostAnswers) -> Claims {
    let of = incomplete(code, truths, ours);
    let lacking = of.values().filter(|one| one.lacks);
    Claims {
        definitions: of.values().filter(|one| one.calls).count(),
        lacking: lacking.clone().count(),
        claiming: lacking.filter(|one| !one.open).count(),
    }
}

/// Lists the definitions for which the index misses the target of a call, although it reports them as complete.
pub(super) fn claiming(code: &Code, truths: &[Truth], ours: &ToolpostAnswers) -> BTreeSet<Id> {
    let of = incomplete(code, truths, ours).into_iter();
    of.filter(|(_, one)| one.lacks && !one.open).map(|(id, _)| id).collect()
}

/// Comparison of the index with the language server, for the calls in one definition.
#[derive(Default)]
struct DefinitionScore {
    /// Set if the definition calls something in the program.
    calls: bool,
    /// Set if the index does not list the true target of a call.
    lacks: bool,
    /// Set if the index reports that it has not resolved a call.
    open: bool,
}

fn incomplete(code: &Code, truths: &[Truth], ours: &ToolpostAnswers) -> BTreeMap<Id, DefinitionScore> {
    let mut of: BTreeMap<Id, DefinitionScore> = BTreeMap::new();
    for (number, (site, truth)) in code.sites.iter().zip(truths).enumerate() {
        let Some(within) = site.within else { continue };
        let (one, verdict) = (of.entry(within).or_default(), ours.of(number));
        one.open |= matches!(verdict, Verdict::Unresolved | Verdict::Local);
        if let Truth::Defined(right) = truth {
            one.calls = true;
            one.lacks |= !found(verdict, right);
        }
    }
    of
}

/// Checks whether one of the right definitions is among the targets of a site.
pub(super) fn found(verdict: &Verdict, right: &[Id]) -> bool {
    match verdict {
        Verdict::Targets(targets) => targets.iter().any(|(id, ..)| id.is_some_and(|id| right.contains(&id))),
        _ => false,
    }
}

/// Predicts for each call site every definition that has the called name.
pub(super) fn by_name(code: &Code) -> Predictions {
    code.sites.iter().map(|site| code.named(&site.name).iter().copied().map(Some).collect()).collect()
}

/// Predicts the definitions with the site's name in the same file, or else the only definition of that name.
pub(super) fn near_or_unique(code: &Code) -> Predictions {
    let one = |site: &super::code::Site| {
        let named = code.named(&site.name);
        let near: Vec<Id> =
            named.iter().copied().filter(|id| code.definitions[*id].path == site.path).collect();
        match (near.as_slice(), named) {
            ([], [only]) => vec![Some(*only)],
            ([], _) => Vec::new(),
            (near, _) => near.iter().copied().map(Some).collect(),
        }
    };
    code.sites.iter().map(one).collect()
}

/// Counts the call sites by the class of their target: definition, external, variable, unknown.
pub(super) fn classes(truths: &[Truth]) -> [usize; 4] {
    let count = |is: fn(&Truth) -> bool| truths.iter().filter(|truth| is(truth)).count();
    [
        count(|truth| matches!(truth, Truth::Defined(_))),
        count(|truth| *truth == Truth::External),
        count(|truth| *truth == Truth::Variable),
        count(|truth| *truth == Truth::Unknown),
    ]
}

/// Counts how often the targets with each label are correct, on the call sites whose target is a definition,
/// in the program or outside.
pub(super) fn calibration(
    truths: &[Truth],
    labelled: &[Vec<(String, Option<Id>)>],
) -> BTreeMap<String, Ratio> {
    let mut table: BTreeMap<String, Ratio> = BTreeMap::new();
    for (truth, said) in truths.iter().zip(labelled) {
        let right: &[Id] = match truth {
            Truth::Defined(ids) => ids,
            Truth::External => &[],
            Truth::Variable | Truth::Unknown => continue,
        };
        for (label, one) in said {
            table.entry(label.clone()).or_default().add(one.is_some_and(|one| right.contains(&one)));
        }
    }
    table
}
