//! Directories that a command reads as a whole: recursive searches, and what `find` hands to other programs.

use crate::{
    Effect, Options, Search, Segment, Word,
    options::{self, Until},
    programs::{self, Form, Operands},
};

/// The options that determine the files of a search.
struct SearchOptions<'o>(&'o Options);

impl SearchOptions<'_> {
    fn any(&self, names: &str) -> bool {
        self.0.options.iter().any(|(option, _)| programs::lists(names, option))
    }

    fn count(&self, names: &str) -> usize {
        self.0.options.iter().filter(|(option, _)| programs::lists(names, option)).count()
    }

    /// The known values of options; none if one of them is not known.
    fn values(&self, names: &str) -> Option<Vec<String>> {
        let given = self.0.options.iter().filter(|(option, _)| programs::lists(names, option));
        given.map(|(_, value)| value.as_ref().and_then(Word::known).map(str::to_owned)).collect()
    }
}

/// Notes the directories that a command searches by itself.
pub(crate) fn note(segment: &mut Segment, form: &Form, sorted: &Options) {
    let given = SearchOptions(sorted);
    let plain = |hidden, ignored| Search {
        start: Word::known_as("."),
        hidden,
        ignored,
        names: Vec::new(),
        except: Vec::new(),
    };
    let search = match segment.program_name() {
        Some("grep" | "egrep" | "fgrep" | "zgrep") if is_recursive_grep(&given) => Search {
            names: given.values("--include").unwrap_or_default(),
            except: given.values("--exclude").unwrap_or_default(),
            ..plain(true, true)
        },
        Some("rg") if !given.any("--files --type-list --version -V --help -h") => ripgrep(&given, plain),
        Some("ag" | "ack") => {
            let all = given.any("-u --unrestricted -U --skip-vcs-ignores -a --all-types --hidden");
            plain(all, all)
        }
        Some("git") if form.is_called("git grep") => {
            plain(true, given.any("--no-exclude-standard --no-index"))
        }
        Some("diff") if given.any("-r --recursive") => plain(true, true),
        _ => return,
    };
    let skipped = match form.operands {
        Operands::TextThenFiles(instead) => usize::from(!given.any(instead)),
        _ => 0,
    };
    let starts: Vec<Word> = sorted.operands.iter().skip(skipped).cloned().collect();
    if starts.is_empty() {
        return segment.effects.push(Effect::Searches(search));
    }
    let searches = starts.into_iter().map(|start| Effect::Searches(Search { start, ..search.clone() }));
    segment.effects.extend(searches);
}

fn is_recursive_grep(given: &SearchOptions<'_>) -> bool {
    let recurses = |values: Option<Vec<String>>| {
        values.is_none_or(|values| values.iter().any(|value| "recurse".starts_with(value.as_str())))
    };
    given.any("-r -R --recursive --dereference-recursive")
        || (given.any("-d --directories") && recurses(given.values("-d --directories")))
}

/// A glob or a type that names a file lifts the rules about hidden and ignored files for it.
fn ripgrep(given: &SearchOptions<'_>, plain: impl Fn(bool, bool) -> Search) -> Search {
    let unrestricted = given.count("-u --unrestricted");
    let hidden = given.any("-. --hidden") || unrestricted > 1;
    let ignored = unrestricted > 0
        || given.any("--no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-parent");
    let Some(globs) = given.values("-g --glob --iglob") else { return plain(true, true) };
    let (except, names): (Vec<String>, Vec<String>) =
        globs.into_iter().partition(|glob| glob.starts_with('!'));
    if !names.is_empty() {
        return Search { names, ..plain(true, true) };
    }
    if given.any("--type-add")
        || given.values("-t --type").is_none_or(|types| types.iter().any(|name| name == "all"))
    {
        return plain(true, true);
    }
    let except = except.iter().map(|glob| glob.trim_start_matches('!').to_owned()).collect();
    Search { except, ..plain(hidden, ignored) }
}

/// Notes the directories whose files `find` and its like hand to a program that reads them.
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

/// Programs that look at names and attributes, and not into files.
const NAMES_ONLY: &[&str] = &[
    "ls", "dir", "stat", "du", "df", "realpath", "readlink", "basename", "dirname", "echo", "printf", "test",
    "[", "true", "wc", "file",
];

fn found(words: &[Word]) -> (Vec<Word>, Search) {
    let follows = |word: &&Word| matches!(word.known(), Some("-H" | "-L" | "-P"));
    let is_start = |word: &&Word| !word.start.starts_with(['-', '(', '!']);
    let starts = words.iter().skip_while(follows).take_while(is_start).cloned().collect();
    let known = |word: &Word, list: &[&str]| word.known().is_some_and(|known| list.contains(&known));
    // With alternatives and negations a test need not hold for what is found.
    let simple = !words.iter().any(|word| known(word, &["-o", "-or", "!", "-not", ",", "("]));
    let named = words.windows(2).find(|pair| known(&pair[0], &["-name", "-iname"]));
    let name = named.filter(|_| simple).and_then(|pair| pair[1].known()).map(str::to_owned);
    let start = Word::known_as(".");
    let search =
        Search { start, hidden: true, ignored: true, names: name.into_iter().collect(), except: Vec::new() };
    (starts, search)
}

fn listed(words: &[Word]) -> (Vec<Word>, Search) {
    let form = programs::find("fd").unwrap_or(programs::UNKNOWN);
    let sorted = options::sort(words, form.valued, form.style, Until::End);
    let given = SearchOptions(&sorted);
    let all = given.any("-u --unrestricted");
    let search = Search {
        start: Word::known_as("."),
        hidden: all || given.any("-H --hidden"),
        ignored: all || given.any("-I --no-ignore --no-ignore-vcs"),
        names: Vec::new(),
        except: Vec::new(),
    };
    (sorted.operands.into_iter().skip(1).collect(), search)
}
