//! Effects of programs that copy, move, link, send and pack files: sources are read, destinations are written.

use crate::{
    Certainty, Effect, Options, Search, Segment, Word,
    programs::{Copies, Form, Machines, SingleOperand},
};

/// Options whose value is the destination of a copy; without them, the last operand is the destination.
const INTO: &str = "-t --target-directory";

/// Records the effects of a program that copies, moves or links.
pub(crate) fn note(segment: &mut Segment, form: &Form, copies: Copies, sorted: &Options) {
    let effects = &mut segment.effects;
    if copies.creates.holds(sorted) {
        return effects.extend(sorted.operands.iter().cloned().map(Effect::Writes));
    }
    // An abbreviated option can have the next word as its value, and then the last operand need not be the destination.
    let is_shifted =
        sorted.options.iter().any(|(option, value)| value.is_none() && Options::lists(form.valued, option));
    if is_shifted || copies.exchanges.holds(sorted) {
        for word in &sorted.operands {
            effects.extend([Effect::Reads(word.clone()), Effect::Writes(word.clone())]);
        }
        return;
    }
    let into = sorted.given(INTO).next().filter(|_| copies.machines == Machines::This);
    let (sources, target) = match (into, sorted.operands.as_slice(), copies.single) {
        (Some((_, into)), operands, _) => (operands, into.clone()),
        (None, [only], SingleOperand::SourceToHere) => {
            (std::slice::from_ref(only), Some(Word::known_as(".")))
        }
        (None, [only], SingleOperand::Source) => (std::slice::from_ref(only), None),
        (None, [sources @ .., target], _) => (sources, Some(target.clone())),
        (None, [], _) => (&[][..], None),
    };
    for source in sources {
        if copies.machines == Machines::Others && is_remote(source) {
            effects.push(Effect::Writes(source.clone()));
            continue;
        }
        effects.extend(of_source(copies, sorted, source, target.as_ref()));
    }
    let Some(target) = target else { return };
    if target.known().is_none() {
        // The word can expand to several words: all but the last one are sources, which are read.
        effects.push(Effect::Reads(target.clone()));
    }
    let is_directory = into.is_some() || sources.len() > 1 || is_directory(&target);
    let whole = copies.keeps_path.holds(sorted);
    effects.extend(of_target(&target, sources, is_directory, whole));
}

/// Returns the effects on a source.
fn of_source(copies: Copies, sorted: &Options, source: &Word, target: Option<&Word>) -> Vec<Effect> {
    if copies.links.holds(sorted) {
        // The link's target is relative to the directory of the link.
        let mut effects = vec![Effect::Names(source.clone())];
        if let (Some(path), Some(target)) = (source.known(), target.and_then(Word::known))
            && !path.starts_with(['/', '~'])
        {
            let above = target.trim_end_matches('/').rsplit_once('/').map_or(".", |(above, _)| above);
            effects.extend([above, target].map(|directory| Effect::Names(below(directory, path))));
        }
        return effects;
    }
    let mut effects = vec![Effect::Reads(source.clone())];
    if copies.removes.holds(sorted) {
        effects.push(Effect::Writes(source.clone()));
    }
    if copies.recurses.holds(sorted) {
        effects.push(whole_directory(source));
    }
    effects
}

/// Returns the writes of a copy to `target`. `is_directory` means that the target certainly is a directory, and
/// `whole` that a copy keeps the path of its source below that directory.
fn of_target(target: &Word, sources: &[Word], is_directory: bool, whole: bool) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut is_named = false;
    if let Some(directory) = target.known().filter(|path| *path != "/dev/null") {
        for source in sources {
            let path = source.known().map(|path| path.trim_end_matches('/'));
            let name = path.map(|path| if whole { path } else { path.rsplit('/').next().unwrap_or(path) });
            match name {
                Some("" | "." | "..") => {}
                Some(name) if is_directory => {
                    is_named = true;
                    effects.push(Effect::Writes(below(directory, name)));
                }
                Some(name) => effects.push(Effect::MayWrite(below(directory, name))),
                None => {
                    let start = format!("{}/", directory.trim_end_matches('/'));
                    let text = format!("{start}*");
                    let word = Word { text, start, sure: Certainty::Start, pattern: None };
                    effects.push(Effect::MayWrite(word));
                }
            }
        }
    }
    let names_all = is_named && effects.len() == sources.len();
    if !names_all || effects.iter().any(|effect| matches!(effect, Effect::MayWrite(_))) {
        effects.insert(0, Effect::Writes(target.clone()));
    }
    effects
}

fn is_directory(target: &Word) -> bool {
    target
        .known()
        .is_some_and(|path| path.ends_with('/') || matches!(path.rsplit('/').next(), Some("." | "..")))
}

/// Returns whether an operand names a file of another machine: `HOST:PATH`, or a URL.
fn is_remote(word: &Word) -> bool {
    word.start.split('/').next().is_some_and(|first| first.contains(':'))
}

fn below(directory: &str, path: &str) -> Word {
    match directory.trim_end_matches('/') {
        "." => Word::known_as(path),
        "" => Word::known_as(&format!("/{path}")),
        directory => Word::known_as(&format!("{directory}/{path}")),
    }
}

fn whole_directory(start: &Word) -> Effect {
    Effect::Searches(Search {
        start: start.clone(),
        hidden: true,
        ignored: true,
        names: Vec::new(),
        except: Vec::new(),
        loose_start: false,
    })
}

/// Records the files of `dd`, which are operands such as `if=FILE`.
pub(crate) fn note_dd(segment: &mut Segment, sorted: &Options) {
    for word in &sorted.operands {
        if word.known().is_none() {
            segment.effects.extend([Effect::Reads(word.clone()), Effect::Writes(word.clone())]);
        }
        segment.effects.extend(word.after("if=").map(Effect::Reads));
        segment.effects.extend(word.after("of=").map(Effect::Writes));
    }
}

/// Records that the arguments of `tar` may be read or written, and the directories that it packs.
pub(crate) fn note_tar(segment: &mut Segment, sorted: &Options) {
    // The first argument can be a cluster of options without a dash, such as `cf`.
    let creates = sorted.has("-c -r -u -A --create --append --update --catenate --concatenate")
        || sorted.operands.first().is_some_and(|word| word.start.contains(['c', 'r', 'u', 'A']));
    let archives = sorted.given("-f --file -C --directory").filter_map(|(_, value)| value.clone());
    let archives: Vec<Word> = archives.collect();
    for word in sorted.operands.iter().chain(&archives) {
        segment.effects.extend([Effect::Names(word.clone()), Effect::MayWrite(word.clone())]);
        if creates && (word.known().is_some() || word.pattern.is_some()) {
            segment.effects.push(whole_directory(word));
        }
    }
}

/// Options of `curl` whose value is data, or `@FILE`.
const DATA: &str = "-d --data --data-ascii --data-binary --data-urlencode --json -H --header -w --write-out";

/// Records the files that `curl` and `wget` send.
pub(crate) fn note_sent(segment: &mut Segment, sorted: &Options) {
    let is_curl = segment.program_name() == Some("curl");
    let reads = |word: Option<Word>| word.filter(|word| word.start != "-").map(Effect::Reads);
    let after_sign = |word: &Word, signs: &[char]| {
        let at = word.start.find(signs)?;
        word.after(&word.start[..=at])
    };
    for (option, value) in &sorted.options {
        let Some(value) = value else { continue };
        let is_one_of = |names| Options::lists(names, option);
        if !is_curl {
            let file = is_one_of("--post-file --body-file").then(|| value.clone());
            segment.effects.extend(reads(file));
            continue;
        }
        if is_one_of("-T --upload-file") {
            segment.effects.extend(reads(Some(value.clone())));
        } else if is_one_of(DATA) {
            segment.effects.extend(reads(value.after("@")));
        }
        if is_one_of("--data-urlencode --variable")
            && !value.start.starts_with('@')
            && !value.start.contains('=')
        {
            segment.effects.extend(reads(after_sign(value, &['@'])));
        }
        if is_one_of("-F --form")
            && let Some(content) = after_sign(value, &['='])
            && let Some(files) = content.after("@").or_else(|| content.after("<"))
        {
            let Some(list) = files.known() else {
                segment.effects.push(Effect::Reads(files));
                continue;
            };
            let list = list.split(';').next().unwrap_or_default();
            let names = list.split(',').map(|name| Word::known_as(name.trim_matches('"')));
            segment.effects.extend(names.filter(|word| word.start != "-").map(Effect::Reads));
        }
    }
    // An operand such as `@FILE` can be the value of an unknown option before it, so the file counts as read.
    let stray = sorted.operands.iter().filter_map(|word| word.after("@"));
    let local = sorted.operands.iter().filter_map(|word| {
        let path = word.after("file://")?;
        path.after("localhost").or(Some(path))
    });
    segment.effects.extend(stray.chain(local).map(Effect::Reads));
}
