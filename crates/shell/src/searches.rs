//! Directories that a command reads recursively: searches, and files that `find` passes to other programs.

use crate::{
    Effect, Options, Search, Segment, Word,
    options::{self, OptionsEnd},
    programs::{self, Form, Operands},
};

/// Records the directories that a command searches recursively.
pub(crate) fn note(segment: &mut Segment, form: &Form, sorted: &Options) {
    let plain = |hidden, ignored| Search {
        start: Word::known_as("."),
        hidden,
        ignored,
        names: Vec::new(),
        except: Vec::new(),
        loose_start: false,
    };
    let search = match segment.program_name() {
        Some("grep" | "egrep" | "fgrep" | "zgrep") if is_recursive_grep(sorted) => Search {
            names: sorted.known_values("--include").unwrap_or_default(),
            except: sorted.known_values("--exclude").unwrap_or_default(),
            ..plain(true, true)
        },
        Some("rg") if !sorted.has_exactly("--files --type-list --version -V --help -h") => {
            ripgrep(sorted, plain)
        }
        Some("ag") => {
            let all =
                sorted.has("-u --unrestricted -U --skip-vcs-ignores -a --all-types -t --all-text --hidden");
            plain(all, all)
        }
        // `ack` knows no ignore files, and hidden files are files like all others for it.
        Some("ack") => plain(true, true),
        Some("git") if form.is_called("git grep") => {
            let ignored = sorted.has("--no-exclude-standard --no-index");
            Search { loose_start: true, ..plain(true, ignored) }
        }
        Some("diff") if sorted.has("-r --recursive") => plain(true, true),
        _ => return,
    };
    let skipped = match form.operands {
        Operands::TextThenFiles(instead) => usize::from(!sorted.has(instead)),
        _ => 0,
    };
    let starts: Vec<Word> = sorted.operands.iter().skip(skipped).cloned().collect();
    if search.loose_start {
        // Git takes the operands before `--` as revisions, and those after it as paths.
        let revisions = sorted.separator.map_or(0, |before| before.saturating_sub(skipped));
        return segment.effects.extend(in_git(&starts, revisions, &search).map(Effect::Searches));
    }
    if starts.is_empty() {
        return segment.effects.push(Effect::Searches(search));
    }
    let searches = starts.into_iter().map(|start| Effect::Searches(Search { start, ..search.clone() }));
    segment.effects.extend(searches);
}

/// Returns the searches of `git grep` for its operands. The first `revisions` operands are certainly revisions. With a
/// revision, ignored files count as searched, because the revision may contain them.
fn in_git<'s>(
    operands: &'s [Word],
    revisions: usize,
    search: &'s Search,
) -> impl Iterator<Item = Search> + 's {
    let here = std::slice::from_ref(&search.start);
    let starts = operands.get(revisions..).filter(|starts| !starts.is_empty()).unwrap_or(here);
    starts.iter().map(move |start| {
        if let Some(ending) = start.known().and_then(ending) {
            let (start, names) = (Word::known_as("."), vec![ending.to_owned()]);
            return Search { start, names, ignored: search.ignored || revisions > 0, ..search.clone() };
        }
        Search { start: start.clone(), ignored: search.ignored || revisions > 0, ..search.clone() }
    })
}

/// Returns the pattern of names, such as `*.rs`, that every match of a git pattern has; `None` for other patterns.
fn ending(pattern: &str) -> Option<&str> {
    let name = pattern.rsplit('/').next()?;
    let literal = name.strip_prefix('*')?;
    (!pattern.starts_with(':') && !literal.contains(['*', '?', '[', '\\'])).then_some(name)
}

fn is_recursive_grep(sorted: &Options) -> bool {
    let recurses = |values: Option<Vec<String>>| {
        values.is_none_or(|values| values.iter().any(|value| "recurse".starts_with(value.as_str())))
    };
    sorted.has("-r -R --recursive --dereference-recursive")
        || (sorted.has("-d --directories") && recurses(sorted.known_values("-d --directories")))
}

/// Describes the files that `rg` reads. If a glob selects a file, `rg` reads the file even if it is hidden or ignored; if
/// a type does, even if it is hidden.
fn ripgrep(sorted: &Options, plain: impl Fn(bool, bool) -> Search) -> Search {
    let unrestricted = sorted.given("-u --unrestricted").count();
    let hidden = sorted.has("-. --hidden") || unrestricted > 1;
    let ignored = unrestricted > 0
        || sorted.has("--no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-parent");
    let Some(globs) = sorted.known_values("-g --glob --iglob") else { return plain(true, true) };
    let (except, names): (Vec<String>, Vec<String>) =
        globs.into_iter().partition(|glob| glob.starts_with('!'));
    if !names.is_empty() {
        return Search { names, ..plain(true, true) };
    }
    let Some(types) = sorted.known_values("-t --type") else { return plain(true, true) };
    if sorted.has_exactly("--type-add") || types.iter().any(|name| name == "all") {
        return plain(true, true);
    }
    let except = except.iter().map(|glob| glob.trim_start_matches('!').to_owned()).collect();
    Search { except, ..plain(hidden || !types.is_empty(), ignored) }
}

/// Records the directories whose files `find` or `fd` passes to a program that reads them. `own` has the words of
/// `find` or `fd` itself, `inner` the commands that it runs.
pub(crate) fn note_handed_on(segment: &mut Segment, own: &[Word], inner: &[Vec<Word>]) {
    let is_find = segment.program_name() == Some("find");
    let gets_files = |words: &Vec<Word>| !is_find || words.iter().any(|word| word.text.contains("{}"));
    let reads = |words: &&Vec<Word>| {
        let name = words.first().and_then(Word::known).map(|name| name.rsplit('/').next().unwrap_or(name));
        gets_files(words) && !name.is_some_and(|name| NAMES_ONLY.contains(&name))
    };
    if !inner.iter().any(|words| reads(&words)) {
        return;
    }
    let words = own.get(1..).unwrap_or_default();
    let (starts, search) = if is_find { found(words) } else { listed(words) };
    if starts.is_empty() {
        return segment.effects.push(Effect::Searches(search));
    }
    let searches = starts.into_iter().map(|start| Effect::Searches(Search { start, ..search.clone() }));
    segment.effects.extend(searches);
}

impl Segment {
    /// Returns true if the program reads names, attributes or sizes of its operands, but does not show their contents.
    #[must_use]
    pub fn reads_only_names(&self) -> bool {
        self.program_name().is_some_and(|name| NAMES_ONLY.contains(&name))
    }
}

/// Programs that read names, attributes or sizes, but do not show file contents.
const NAMES_ONLY: &[&str] = &[
    "ls", "dir", "stat", "du", "df", "realpath", "readlink", "basename", "dirname", "echo", "printf", "test",
    "[", "true", "wc", "file",
];

fn found(words: &[Word]) -> (Vec<Word>, Search) {
    let follows = |word: &&Word| matches!(word.known(), Some("-H" | "-L" | "-P"));
    let is_start = |word: &&Word| !word.start.starts_with(['-', '(', '!']);
    let starts = words.iter().skip_while(follows).take_while(is_start).cloned().collect();
    let known = |word: &Word, list: &[&str]| word.known().is_some_and(|known| list.contains(&known));
    // If the tests of `find` contain alternatives or negations, the found files need not match its `-name` test, so
    // the name does not limit the search.
    let simple = !words.iter().any(|word| known(word, &["-o", "-or", "!", "-not", ",", "("]));
    let named = words.windows(2).find(|pair| known(&pair[0], &["-name", "-iname"]));
    let name = named.filter(|_| simple).and_then(|pair| pair[1].known()).map(str::to_owned);
    let start = Word::known_as(".");
    let search = Search {
        start,
        hidden: true,
        ignored: true,
        names: name.into_iter().collect(),
        except: Vec::new(),
        loose_start: false,
    };
    (starts, search)
}

fn listed(words: &[Word]) -> (Vec<Word>, Search) {
    let form = programs::find("fd").unwrap_or(programs::UNKNOWN);
    let sorted = options::sort(words, form.valued, form.style, OptionsEnd::End);
    let all = sorted.has("-u --unrestricted");
    let search = Search {
        start: Word::known_as("."),
        hidden: all || sorted.has("-H --hidden"),
        ignored: all || sorted.has("-I --no-ignore --no-ignore-vcs"),
        names: Vec::new(),
        except: Vec::new(),
        loose_start: false,
    };
    (sorted.operands.into_iter().skip(1).collect(), search)
}
