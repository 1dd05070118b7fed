//! Precision and recall of call targets, by site and by edge.

use super::code::{Code, Id};
use super::oracle::Truth;
use super::ours::{Ours, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Predicted definitions for each site; `None` is a target that is not a definition, which always counts as
/// wrong.
pub(super) type Said = Vec<Vec<Option<Id>>>;

/// A ratio.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) part: usize,
    pub(super) whole: usize,
}

impl Share {
    fn add(&mut self, counts: bool) {
        self.part += usize::from(counts);
        self.whole += 1;
    }

    /// Formats a number up to one; a dash for zero of zero.
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
    pub(super) site_precision: Share,
    /// Share of the sites with a target in the program whose target is predicted.
    pub(super) site_recall: Share,
    /// Share of the predicted pairs of caller and callee that are correct.
    pub(super) edge_precision: Share,
    /// Share of the true pairs that are predicted.
    pub(super) edge_recall: Share,
}

/// Compares predictions with the truth, on the sites whose target is a definition or external.
pub(super) fn score(code: &Code, truths: &[Truth], said: &Said, counts: impl Fn(usize) -> bool) -> Score {
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

/// Counts of definitions with missing calls, and of those that claim completeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// Definitions with a call of something in the program.
    pub(super) definitions: usize,
    /// Definitions with a true call that is not among the targets, at any level of certainty.
    pub(super) lacking: usize,
    /// Incomplete definitions that claim completeness.
    pub(super) claiming: usize,
}

/// Counts the definitions that lack a true call, and those among them that claim completeness.
pub(super) fn claims(code: &Code, truths: &[Truth], ours: &Ours) -> Claims {
    let verdicts = (0..code.sites.len()).map(|number| ours.of(number));
    let sites = code.sites.iter().zip(truths).zip(verdicts);
    let mut of: BTreeMap<Id, (bool, bool)> = BTreeMap::new();
    let mut own = BTreeSet::new();
    for ((site, truth), verdict) in sites {
        let Some(within) = site.within else { continue };
        let (lacks, open) = of.entry(within).or_default();
        *open |= matches!(verdict, Verdict::Unresolved | Verdict::Local);
        if let Truth::Defined(right) = truth {
            own.insert(within);
            let found = match verdict {
                Verdict::Targets(targets) => {
                    targets.iter().any(|(id, ..)| id.is_some_and(|id| right.contains(&id)))
                }
                _ => false,
            };
            *lacks |= !found;
        }
    }
    let lacking = of.values().filter(|(lacks, _)| *lacks);
    Claims {
        definitions: own.len(),
        lacking: lacking.clone().count(),
        claiming: lacking.filter(|(_, open)| !open).count(),
    }
}

/// Predicts every definition with the name of the site.
pub(super) fn by_name(code: &Code) -> Said {
    code.sites.iter().map(|site| code.named(&site.name).iter().copied().map(Some).collect()).collect()
}

/// Predicts the definitions of that name in the same file, or else a unique one.
pub(super) fn near_or_unique(code: &Code) -> Said {
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

/// Counts the sites of each class: definition, external, variable, unknown.
pub(super) fn classes(truths: &[Truth]) -> [usize; 4] {
    let count = |is: fn(&Truth) -> bool| truths.iter().filter(|truth| is(truth)).count();
    [
        count(|truth| matches!(truth, Truth::Defined(_))),
        count(|truth| *truth == Truth::External),
        count(|truth| *truth == Truth::Variable),
        count(|truth| *truth == Truth::Unknown),
    ]
}

/// Counts how often each label is correct, on the sites whose target is a definition or external.
pub(super) fn calibration(
    truths: &[Truth],
    labelled: &[Vec<(String, Option<Id>)>],
) -> BTreeMap<String, Share> {
    let mut table: BTreeMap<String, Share> = BTreeMap::new();
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
