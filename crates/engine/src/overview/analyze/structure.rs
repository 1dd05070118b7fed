//! Analysis of a project: combines the records of its files with the links between them.

use super::{Entry, Hotspot, Language, Module, Output, Public, TestMap, Tested};
use super::{cycles::rings, depth::Depth};
use crate::{
    call::CallCtx,
    code::symbol_index::{About, Asked, Searched, Shower, ask},
    failure::{Failure, Hint, Kind},
    find::walk::Complete,
    overview::Overview,
    overview::files::{self, Gathered},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
    time::Instant,
};
use toolpost_index::{At, FileId, Link, ranked::is_test};
use toolpost_search::Rules;
use toolpost_workspace::WorkspacePath;

/// Analyzes a directory.
pub(crate) async fn analyze(
    overview: &Overview,
    base: &WorkspacePath,
    depth: Depth,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let gathered = files::gather(overview, base, Rules::Git, cx).await?;
    if gathered.walk.complete != Complete::Yes {
        let what = "The time was up before all directories of the project were seen.";
        let advice = "Name a directory of the project as the path.";
        return Err(Failure::new(Kind::Timeout, what).hint(Hint::Advice(advice.to_owned())));
    }
    let mut output = listed(base, gathered, depth);
    let (base, cx_of) = (base.clone(), cx.clone());
    let linked = ask(overview.code(), cx, About::default(), move |asked| {
        let deadline = cx_of.deadline;
        let stop =
            || cx_of.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let Some(links) = asked.index.links(&stop) else {
            cx_of.check()?;
            return Err(Failure::new(Kind::Timeout, "The time was up before all links were followed."));
        };
        Ok(Linked::of(asked, &base, &links, depth))
    })
    .await?;
    linked.into(&mut output);
    Ok(output)
}

/// Summarizes the list of files and their records.
fn listed(base: &WorkspacePath, gathered: Gathered, depth: Depth) -> Output {
    let mut languages: BTreeMap<&'static str, (usize, u64)> = BTreeMap::new();
    let other_roots = gathered.walk.other_roots.clone();
    let (mut entries, mut lines) = (Vec::new(), 0);
    for (path, record) in &gathered.files {
        let Some(record) = record else { continue };
        let tally = languages.entry(record.language).or_default();
        *tally = (tally.0 + 1, tally.1 + record.lines);
        lines += record.lines;
        let shown = path.display();
        let own = record.entries.iter().filter(|_| !is_test(&shown));
        entries.extend(own.map(|line| Entry {
            path: shown.clone(),
            line: line.number,
            what: line.words.clone(),
        }));
    }
    let mut languages: Vec<Language> = languages
        .into_iter()
        .map(|(name, (files, lines))| Language { name: name.to_owned(), files, lines })
        .collect();
    languages.sort_by(|one, other| other.lines.cmp(&one.lines).then_with(|| one.name.cmp(&other.name)));
    let more_entries = entries.len().saturating_sub(depth.told());
    entries.truncate(depth.told());
    Output {
        path: base.display(),
        files: gathered.files.len(),
        lines,
        languages,
        entries,
        more_entries,
        other_roots,
        ..Output::default()
    }
}

/// The results from the links between the files.
struct Linked {
    modules: Vec<Module>,
    rings: Vec<Vec<String>>,
    hotspots: Vec<Hotspot>,
    public: Vec<Public>,
    tests: TestMap,
    searched: Searched,
}

impl Linked {
    fn of(asked: &Asked<'_>, base: &WorkspacePath, links: &[Link], depth: Depth) -> Self {
        let files: Vec<FileId> = asked
            .index
            .files()
            .filter(|id| {
                let path = &asked.index.file(*id).path;
                asked.may(path) && asked.lies_in(path, base)
            })
            .collect();
        let known: HashSet<FileId> = files.iter().copied().collect();
        let links: Vec<Link> = links
            .iter()
            .filter(|link| known.contains(&link.from) && known.contains(&link.to.file))
            .copied()
            .collect();
        let view = View { asked, base, depth, files };
        Self {
            modules: view.modules(&links),
            rings: rings(&view.uses(&links)),
            hotspots: view.hotspots(&links),
            public: view.public(&links),
            tests: view.tests(&links),
            searched: Searched::of(asked, Some(base)),
        }
    }

    fn into(self, output: &mut Output) {
        output.modules = self.modules;
        output.rings = self.rings;
        output.hotspots = self.hotspots;
        output.public = self.public;
        output.tests = self.tests;
        output.searched = self.searched;
    }
}

struct View<'a> {
    asked: &'a Asked<'a>,
    base: &'a WorkspacePath,
    depth: Depth,
    files: Vec<FileId>,
}

impl View<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.asked.index.file(file).path
    }

    fn is_test(&self, file: FileId) -> bool {
        is_test(self.path(file))
    }

    /// Returns the module of a file: the first directories of its path below the base.
    fn module(&self, file: FileId) -> String {
        let path = self.asked.index.path(self.path(file));
        let below = path.and_then(|path| path.raw().strip_prefix(self.base.raw()).ok());
        let folder = below.and_then(Path::parent).unwrap_or(Path::new(""));
        let parts: Vec<_> = folder
            .components()
            .take(self.depth.levels())
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
    }

    /// Lists the modules that each module uses, without tests.
    fn uses(&self, links: &[Link]) -> BTreeMap<String, BTreeSet<String>> {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for link in links.iter().filter(|link| !self.is_test(link.from)) {
            let (from, to) = (self.module(link.from), self.module(link.to.file));
            if from != to {
                uses.entry(from).or_default().insert(to);
            }
        }
        uses
    }

    fn modules(&self, links: &[Link]) -> Vec<Module> {
        let mut all: BTreeMap<String, Module> = BTreeMap::new();
        for file in &self.files {
            let name = self.module(*file);
            let module = all.entry(name.clone()).or_insert_with(|| Module { name, ..Module::default() });
            module.files += 1;
            module.lines += u64::from(self.asked.index.file(*file).record.lines);
        }
        for (from, to) in self.uses(links) {
            for to in &to {
                if let Some(module) = all.get_mut(to) {
                    module.used_by.push(from.clone());
                }
            }
            if let Some(module) = all.get_mut(&from) {
                module.uses = to.into_iter().collect();
            }
        }
        all.into_values().collect()
    }

    /// Lists the files with the most users.
    fn hotspots(&self, links: &[Link]) -> Vec<Hotspot> {
        let mut users: HashMap<FileId, (BTreeSet<FileId>, usize)> = HashMap::new();
        for link in links.iter().filter(|link| !self.is_test(link.from)) {
            let own = users.entry(link.to.file).or_default();
            own.0.insert(link.from);
            own.1 += link.places;
        }
        let one = |(file, (users, places)): (FileId, (BTreeSet<FileId>, usize))| Hotspot {
            path: self.path(file).to_owned(),
            used_by: users.len(),
            places,
            lines: u64::from(self.asked.index.file(file).record.lines),
        };
        let mut all: Vec<Hotspot> = users.into_iter().map(one).collect();
        all.sort_by(|one, other| {
            (other.used_by, other.places, &one.path).cmp(&(one.used_by, one.places, &other.path))
        });
        all.truncate(self.depth.told() / 2);
        all
    }

    /// Lists the symbols that other modules use, those with the most files first.
    fn public(&self, links: &[Link]) -> Vec<Public> {
        let mut users: HashMap<At, BTreeSet<FileId>> = HashMap::new();
        for link in links.iter().filter(|link| !self.is_test(link.from)) {
            if self.module(link.from) != self.module(link.to.file) {
                users.entry(link.to).or_default().insert(link.from);
            }
        }
        let mut all: Vec<(At, usize)> = users.into_iter().map(|(at, users)| (at, users.len())).collect();
        all.sort_by(|one, other| {
            let key = |at: At| (self.path(at.file).to_owned(), at.symbol);
            other.1.cmp(&one.1).then_with(|| key(one.0).cmp(&key(other.0)))
        });
        let shower = Shower::new(self.asked);
        let one = |(at, files): (At, usize)| {
            let symbol = shower.symbol(at);
            Public {
                name: symbol.qualified,
                kind: symbol.kind,
                path: symbol.path,
                line: symbol.line,
                used_by: files,
            }
        };
        all.into_iter().take(self.depth.told()).map(one).collect()
    }

    /// Lists the files that tests use, and those that no test uses.
    fn tests(&self, links: &[Link]) -> TestMap {
        let mut covered: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for link in links.iter().filter(|link| self.is_test(link.from) && !self.is_test(link.to.file)) {
            covered.entry(self.path(link.from)).or_default().insert(self.path(link.to.file));
        }
        let reached: BTreeSet<&str> = covered.values().flatten().copied().collect();
        let (tests, code): (Vec<FileId>, Vec<FileId>) =
            self.files.iter().partition(|file| self.is_test(**file));
        let mut untested: Vec<(u64, &str)> = code
            .iter()
            .filter(|file| !self.asked.index.file(**file).record.symbols.is_empty())
            .map(|file| (u64::from(self.asked.index.file(*file).record.lines), self.path(*file)))
            .filter(|(_, path)| !reached.contains(path))
            .collect();
        untested.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        let told = self.depth.told() / 2;
        let map = covered.iter().map(|(test, files)| Tested {
            test: (*test).to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        });
        TestMap {
            tests: tests.len(),
            code: code.len(),
            reached: reached.len(),
            unreached: untested.len(),
            largest_unreached: untested.iter().take(told).map(|(_, path)| (*path).to_owned()).collect(),
            map: if self.depth == Depth::Shallow { Vec::new() } else { map.take(told).collect() },
        }
    }
}
