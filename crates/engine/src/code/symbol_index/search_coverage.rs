//! The files that were searched for an answer, as evidence for an empty result.

use super::{DirectLook, IndexContext, ReadFiles};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use toolpost_symbols::FileId;
use toolpost_text::plural::counted;
use toolpost_workspace::WorkspacePath;

/// The files that were searched for an answer, and those that were left out.
#[derive(Debug, Clone, Default, Serialize, JsonSchema, PartialEq, Eq)]
pub struct SearchCoverage {
    /// Number of searched files for each language.
    pub languages: BTreeMap<String, usize>,
    /// Number of files with parts that the parser does not understand.
    pub imperfect: usize,
    /// Number of files that are not read yet, because the index is still being built; they may contain more results.
    pub waiting: usize,
    /// Counts of the files that an incomplete index did not cover; `None` if the index is complete or the query contains
    /// no names.
    pub direct: Option<DirectLook>,
    /// Files that were not searched: a phrase for each reason, with their number and some names.
    pub left_out: Vec<String>,
    /// Number of files that were not searched, for the reasons in `left_out`.
    pub left_out_total: usize,
}

/// Maximum number of files that are named for each reason why files were not searched.
const NAMED: usize = 3;

impl SearchCoverage {
    /// Counts the searched files below `base`, or in the whole workspace.
    pub(crate) fn of(context: &IndexContext<'_>, base: Option<&WorkspacePath>) -> Self {
        let mut out = Self::default();
        let mut count = |language: &str, files: usize, imperfect: usize| {
            if files > 0 {
                *out.languages.entry(language.to_owned()).or_default() += files;
                out.imperfect += imperfect;
            }
        };
        let within =
            |id: &FileId| base.is_none_or(|base| context.lies_in(&context.index.file(*id).path, base));
        let withheld: Vec<FileId> = context.withheld.keys().copied().filter(within).collect();
        let of = |id: FileId| (context.index.file(id).language(), context.index.file(id).is_imperfect());
        if base.is_some() {
            let all = context.index.files().filter(|id| within(id) && !context.withheld.contains_key(id));
            all.map(of).for_each(|(language, imperfect)| count(language, 1, usize::from(imperfect)));
        } else {
            for (language, tally) in context.index.languages() {
                let own = withheld.iter().map(|id| of(*id)).filter(|(name, _)| *name == language);
                let (files, imperfect) =
                    own.fold((0, 0), |sum, (_, imperfect)| (sum.0 + 1, sum.1 + usize::from(imperfect)));
                count(language, tally.files - files, tally.imperfect - imperfect);
            }
        }
        let may =
            |path: &&WorkspacePath| context.cx.may_read(path) && base.is_none_or(|base| base.contains(path));
        out.waiting = context.index.waiting().iter().filter(may).count();
        out.direct = context.look.filter(|_| out.waiting > 0);
        let withheld = withheld.len();
        let left = context.index.left_out();
        let known = |names: &[String], what: fn(&str) -> &str| -> Vec<String> {
            let seen = |line: &&String| context.may_name(what(line), base);
            names.iter().filter(seen).cloned().collect()
        };
        out.name(&known(&left.large, |line| line), "too large");
        out.name(&known(&left.unparsed, |line| line), "that cannot be parsed");
        out.name(
            &known(&left.unreadable, |line| line.split(": ").next().unwrap_or(line)),
            "that cannot be read",
        );
        if withheld > 0 {
            out.left_out.push(format!("{} withheld by the rules", counted(withheld as u64, "file")));
            out.left_out_total += withheld;
        }
        out
    }

    /// Returns the numbers of the files that the answer covers, and of the others.
    #[must_use]
    pub fn files(&self) -> ReadFiles {
        ReadFiles { read: self.languages.values().sum(), later: self.waiting, left_out: self.left_out_total }
    }

    /// Describes an incomplete index, as a main clause; `None` for a complete one.
    #[must_use]
    pub fn unfinished(&self) -> Option<String> {
        let read: usize = self.languages.values().sum();
        (self.waiting > 0).then(|| {
            format!(
                "{}; the same call will later search all files",
                super::ready::unfinished(self.waiting, self.waiting + read, self.direct, "the name")
            )
        })
    }

    /// Describes the searched files, and those that were left out.
    #[must_use]
    pub fn words(&self) -> String {
        let languages = self.languages.iter().map(|(name, count)| format!("{name} {count}"));
        let languages: Vec<String> = languages.collect();
        let files: usize = self.languages.values().sum();
        let mut words = counted(files as u64, "file");
        if !languages.is_empty() {
            words.push_str(&format!(" ({})", languages.join(", ")));
        }
        words.push_str(", up to date");
        if self.imperfect > 0 {
            words.push_str(&format!("; only partly parsed: {}", counted(self.imperfect as u64, "file")));
        }
        if let Some(unfinished) = self.unfinished() {
            words.push_str(&format!("; incomplete: {unfinished}"));
        }
        if !self.left_out.is_empty() {
            words.push_str(&format!("; not searched: {}", self.left_out.join(", ")));
        }
        words
    }

    fn name(&mut self, files: &[String], why: &str) {
        if files.is_empty() {
            return;
        }
        self.left_out_total += files.len();
        let more = if files.len() > NAMED { ", …" } else { "" };
        let named = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        self.left_out.push(format!("{} {why} ({named}{more})", counted(files.len() as u64, "file")));
    }
}
