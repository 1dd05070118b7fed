//! Project analysis: combines the records of the files with the links between files, which are uses and
//! imports.

use super::{Entry, Hotspot, Language, Module, Output, Public, TestMap, Tested};
use crate::{
    call::CallCtx,
    code::symbol_index::{About, IndexContext, ReadFiles, SearchCoverage, SourceReader, ask},
    failure::{Failure, Kind},
    overview::Overview,
    overview::files::{self, ProjectFiles},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
    time::Instant,
};
use toolpost_ranked::is_test;
use toolpost_search::Rules;
use toolpost_symbols::{At, FileId, Link, Links};
use toolpost_workspace::WorkspacePath;

/// Analyzes the files in a directory, and the uses and imports in the symbol index. Fails with `Timeout` if the time
/// limit is reached first.
pub(crate) async fn analyze(
    overview: &Overview,
    base: &WorkspacePath,
    depth: Depth,
    cx: &CallCtx,
) -> Result<Output, Failure> {
    let gathered = files::gather(overview, base, Rules::Git, cx).await?;
    let mut output = listed(base, gathered, depth);
    let (base, cx_of) = (base.clone(), cx.clone());
    let linked = ask(overview.code(), cx, About::default(), move |context| {
        let deadline = cx_of.deadline;
        let stop =
            || cx_of.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let Some(links) = context.index.links(&stop) else {
            cx_of.check()?;
            return Err(Failure::new(
                Kind::Timeout,
                "The time limit was reached before all uses and imports between files were followed.",
            ));
        };
        Ok(LinkAnalysis::of(context, &base, &links, depth))
    })
    .await?;
    linked.into(&mut output);
    Ok(output)
}

/// Starts the output with the languages, the entry points and the numbers of files and lines.
fn listed(base: &WorkspacePath, gathered: ProjectFiles, depth: Depth) -> Output {
    let mut languages: BTreeMap<&'static str, (usize, u64, ReadFiles)> = BTreeMap::new();
    let (other_roots, read) = (gathered.walk.other_roots.clone(), gathered.read());
    let (mut entries, mut lines) = (Vec::new(), 0);
    for (path, record) in &gathered.files {
        let Some(record) = record else { continue };
        let tally = languages.entry(record.language).or_default();
        tally.0 += 1;
        tally.1 += record.lines;
        record.count_in(&mut tally.2);
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
        .map(|(name, (files, lines, read))| Language { name: name.to_owned(), files, lines, read })
        .collect();
    languages.sort_by(|one, other| other.lines.cmp(&one.lines).then_with(|| one.name.cmp(&other.name)));
    let more_entries = entries.len().saturating_sub(depth.told());
    entries.truncate(depth.told());
    Output {
        path: base.display(),
        files: gathered.files.len(),
        lines,
        read,
        languages,
        entries,
        more_entries,
        other_roots,
        ..Output::default()
    }
}

/// The parts of the output that come from the links between files, which are uses and imports.
struct LinkAnalysis {
    modules: Vec<Module>,
    rings: Vec<Vec<String>>,
    hotspots: Vec<Hotspot>,
    public: Vec<Public>,
    tests: TestMap,
    searched: SearchCoverage,
}

impl LinkAnalysis {
    fn of(context: &IndexContext<'_>, base: &WorkspacePath, links: &Links, depth: Depth) -> Self {
        let (mut files, mut outside) = (Vec::new(), Vec::new());
        for id in context.index.files() {
            let path = &context.index.file(id).path;
            if !context.may(path) {
                continue;
            }
            if context.lies_in(path, base) { files.push(id) } else { outside.push(id) }
        }
        let uses = FileUses::of(links, &files, &outside);
        let view = View { context, base, depth, files, outside };
        let within = uses.within(&view.files);
        Self {
            modules: view.modules(&within),
            rings: rings(&view.uses(&within)),
            hotspots: view.hotspots(&uses),
            public: view.public(&within),
            tests: view.tests(&uses, links),
            searched: SearchCoverage::of(context, Some(base)),
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

/// The uses of files in the analyzed directory, by files that the caller may read.
struct FileUses {
    /// The uses of symbols by other files.
    symbols: Vec<Link>,
    /// The number of uses for each pair of a using file and a used file; 1 for an import without a use of a
    /// symbol.
    files: BTreeMap<(FileId, FileId), usize>,
}

impl FileUses {
    fn of(links: &Links, files: &[FileId], outside: &[FileId]) -> Self {
        let targets: HashSet<FileId> = files.iter().copied().collect();
        let readable: HashSet<FileId> = files.iter().chain(outside).copied().collect();
        let known = |from: FileId, to: FileId| readable.contains(&from) && targets.contains(&to);
        let symbols: Vec<Link> =
            links.symbols.iter().filter(|link| known(link.from, link.to.file)).copied().collect();
        let mut files: BTreeMap<(FileId, FileId), usize> = BTreeMap::new();
        for link in &symbols {
            *files.entry((link.from, link.to.file)).or_default() += link.places;
        }
        for (from, to) in links.imports.iter().filter(|(from, to)| known(*from, *to)) {
            files.entry((*from, *to)).or_insert(1);
        }
        Self { symbols, files }
    }

    /// Returns only the uses by `files`, the files of the analyzed directory.
    fn within(&self, files: &[FileId]) -> Self {
        let known: HashSet<FileId> = files.iter().copied().collect();
        let symbols = self.symbols.iter().filter(|link| known.contains(&link.from)).copied();
        let files = self.files.iter().filter(|((from, _), _)| known.contains(from));
        Self { symbols: symbols.collect(), files: files.map(|(pair, places)| (*pair, *places)).collect() }
    }
}

struct View<'a> {
    context: &'a IndexContext<'a>,
    base: &'a WorkspacePath,
    depth: Depth,
    /// The files in the analyzed directory that the caller may read.
    files: Vec<FileId>,
    /// The files outside the analyzed directory that the caller may read.
    outside: Vec<FileId>,
}

impl View<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.context.index.file(file).path
    }

    fn is_test(&self, file: FileId) -> bool {
        is_test(self.path(file))
    }

    /// Returns the module of a file: the first directories of its path below the analyzed directory, as many as the
    /// depth allows; `.` for a file directly in the analyzed directory.
    fn module(&self, file: FileId) -> String {
        let path = self.context.index.path(self.path(file));
        let below = path.and_then(|path| path.raw().strip_prefix(self.base.raw()).ok());
        let folder = below.and_then(Path::parent).unwrap_or(Path::new(""));
        let parts: Vec<_> = folder
            .components()
            .take(self.depth.levels())
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
    }

    /// Lists for each module the other modules that it uses, without uses in tests.
    fn uses(&self, uses: &FileUses) -> BTreeMap<String, BTreeSet<String>> {
        let of_files = uses.files.keys().filter(|(from, _)| !self.is_test(*from));
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in of_files {
            let (from, to) = (self.module(*from), self.module(*to));
            if from != to {
                uses.entry(from).or_default().insert(to);
            }
        }
        uses
    }

    fn modules(&self, uses: &FileUses) -> Vec<Module> {
        let mut all: BTreeMap<String, Module> = BTreeMap::new();
        for file in &self.files {
            let name = self.module(*file);
            let module = all.entry(name.clone()).or_insert_with(|| Module { name, ..Module::default() });
            module.files += 1;
            module.lines += u64::from(self.context.index.file(*file).record.lines);
        }
        for (from, to) in self.uses(uses) {
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

    /// Lists the files that the most other files use, without uses in tests.
    fn hotspots(&self, uses: &FileUses) -> Vec<Hotspot> {
        let mut users: HashMap<FileId, (usize, usize)> = HashMap::new();
        for ((_, to), places) in uses.files.iter().filter(|((from, _), _)| !self.is_test(*from)) {
            let (files, all) = users.entry(*to).or_default();
            *files += 1;
            *all += places;
        }
        let one = |(file, (used_by, places)): (FileId, (usize, usize))| Hotspot {
            path: self.path(file).to_owned(),
            used_by,
            places,
            lines: u64::from(self.context.index.file(file).record.lines),
        };
        let mut all: Vec<Hotspot> = users.into_iter().map(one).collect();
        all.sort_by(|one, other| {
            (other.used_by, other.places, &one.path).cmp(&(one.used_by, one.places, &other.path))
        });
        all.truncate(self.depth.told() / 2);
        all
    }

    /// Lists the symbols that are used outside their module, sorted by the number of using files, the largest first.
    fn public(&self, uses: &FileUses) -> Vec<Public> {
        let mut users: HashMap<At, BTreeSet<FileId>> = HashMap::new();
        for link in uses.symbols.iter().filter(|link| !self.is_test(link.from)) {
            if self.module(link.from) != self.module(link.to.file) {
                users.entry(link.to).or_default().insert(link.from);
            }
        }
        let mut all: Vec<(At, usize)> = users.into_iter().map(|(at, users)| (at, users.len())).collect();
        all.sort_by(|one, other| {
            let key = |at: At| (self.path(at.file).to_owned(), at.symbol);
            other.1.cmp(&one.1).then_with(|| key(one.0).cmp(&key(other.0)))
        });
        let reader = SourceReader::new(self.context);
        let one = |(at, files): (At, usize)| {
            let symbol = reader.symbol(at);
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

    /// Returns the number of files of the workspace that the index does not contain yet, and that the caller may read.
    fn unsearched(&self) -> usize {
        let may_read = self.context.cx.read_filter();
        self.context.index.waiting().iter().filter(|path| may_read(path)).count()
    }

    /// Maps tests to the files that they use, and finds files that no test is known to use. Tests outside the analyzed
    /// directory count, too.
    fn tests(&self, uses: &FileUses, links: &Links) -> TestMap {
        let mut covered: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (test, file) in uses.files.keys().filter(|(from, to)| self.is_test(*from) && !self.is_test(*to)) {
            covered.entry(self.path(*test)).or_default().insert(self.path(*file));
        }
        let reached: BTreeSet<&str> = covered.values().flatten().copied().collect();
        let (mut tests, code): (Vec<FileId>, Vec<FileId>) =
            self.files.iter().partition(|file| self.is_test(**file));
        let own = tests.len();
        tests.extend(self.outside.iter().filter(|file| self.is_test(**file)));
        let mut untested: Vec<(u64, &str)> = code
            .iter()
            .filter(|file| !self.context.index.file(**file).record.symbols.is_empty())
            .map(|file| (u64::from(self.context.index.file(*file).record.lines), self.path(*file)))
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
            outside: tests.len() - own,
            code: code.len(),
            reached: reached.len(),
            unreached: untested.len(),
            largest_unreached: untested.iter().take(told).map(|(_, path)| (*path).to_owned()).collect(),
            unsearched: self.unsearched(),
            open: tests.iter().filter_map(|test| links.open.get(test)).sum(),
            map: if self.depth == Depth::Shallow { Vec::new() } else { map.take(told).collect() },
        }
    }
}

/// The depth of a project analysis: how many directory levels count as modules, and how long the lists are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// A module is a top-level directory. The lists are short, and tests are not mapped to the files that they use.
    Shallow,
    /// A module is a directory up to two levels deep. The lists are longer.
    #[default]
    Normal,
    /// A module is a directory up to four levels deep. The lists are longest.
    Deep,
}

impl Depth {
    /// Returns the number of directory levels that count as modules.
    pub(crate) fn levels(self) -> usize {
        match self {
            Self::Shallow => 1,
            Self::Normal => 2,
            Self::Deep => 4,
        }
    }

    /// Returns the maximum number of code chunks that are sent to a model.
    pub(crate) fn chunks(self) -> usize {
        match self {
            Self::Shallow => 4,
            Self::Normal => 12,
            Self::Deep => 50,
        }
    }

    /// Returns the maximum number of entry points and of public symbols in the reply. For hotspots, tests and
    /// untested files, the maximum is half of it.
    pub(crate) fn told(self) -> usize {
        match self {
            Self::Shallow => 10,
            Self::Normal => 20,
            Self::Deep => 60,
        }
    }
}

/// Finds the groups of two or more modules that depend on one another, the largest group first.
fn rings(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for name in uses.keys() {
        reach(name, &mut seen, &mut order, &|name| {
            uses.get(name).into_iter().flatten().map(String::as_str).collect()
        });
    }
    let mut back: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, all) in uses {
        for to in all {
            back.entry(to).or_default().push(from);
        }
    }
    let mut seen = BTreeSet::new();
    let mut found: Vec<Vec<String>> = Vec::new();
    for name in order.iter().rev() {
        let mut group = Vec::new();
        reach(name, &mut seen, &mut group, &|name| back.get(name).cloned().unwrap_or_default());
        if group.len() > 1 {
            group.sort();
            found.push(group);
        }
    }
    found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found
}

/// Visits all nodes that are reachable from `from`, depth first; appends each one to `order`, after the nodes that are
/// reachable from it.
fn reach<'n>(
    from: &'n str,
    seen: &mut BTreeSet<String>,
    order: &mut Vec<String>,
    next: &dyn Fn(&str) -> Vec<&'n str>,
) {
    if !seen.insert(from.to_owned()) {
        return;
    }
    let mut way: Vec<(&str, Vec<&'n str>)> = vec![(from, next(from))];
    while let Some((here, open)) = way.last_mut() {
        let here = *here;
        match open.pop() {
            Some(name) if seen.insert(name.to_owned()) => way.push((name, next(name))),
            Some(_) => {}
            None => {
                order.push(here.to_owned());
                way.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn mutually_dependent_modules_form_a_cycle() {
        let rows = [
            ("a>b b>c c>a d>a", "a b c"),
            ("a>b b>a c>d d>e e>c x>x", "c d e|a b"),
            ("a>b b>c", ""),
            ("", ""),
        ];
        each(rows, |(uses, wanted)| {
            let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in uses.split_whitespace().filter_map(|edge| edge.split_once('>')) {
                all.entry(from.to_owned()).or_default().insert(to.to_owned());
            }
            let found: Vec<String> = rings(&all).iter().map(|ring| ring.join(" ")).collect();
            assert_eq!(found.join("|"), wanted, "{uses}");
        });
    }
}
