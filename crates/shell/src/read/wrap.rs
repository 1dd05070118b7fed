//! Finds the commands that wrapper programs, such as `env` and `xargs`, run.

use crate::{
    Assignment, Certainty, Effect, Role, Script, Segment, VariableScope, Word, effects,
    options::{self, Options, OptionsEnd, Style},
    programs, searches,
    wrappers::{self, WrappedCommand, Wrapper, WrapperEffect},
};

/// Adds a command, and the commands that it runs, to the script.
pub(crate) fn segment(script: &mut Script, mut segment: Segment, depth: usize) {
    let wrapper = segment.program_name().filter(|_| segment.role == Role::Program).and_then(wrappers::find);
    let known = effects::known(&segment);
    let Some(wrapper) = wrapper else {
        effects::note(&mut segment, &known);
        return script.segments.push(segment);
    };
    let mut via = segment.via.clone();
    via.extend(segment.program_name().map(str::to_owned));
    if wrapper.runs == WrappedCommand::Within {
        let (own, inner) = within(&segment, wrapper);
        searches::note_handed_on(&mut segment, &own, &inner);
        segment.words = own;
        effects::note(&mut segment, &known);
        script.segments.push(segment);
        return inner.into_iter().for_each(|words| nested(script, words, &via, depth));
    }
    let sorted = options::sort(
        segment.words.get(1..).unwrap_or_default(),
        wrapper.valued,
        Style::Clusters,
        OptionsEnd::Operand,
    );
    let inner = unwrap(wrapper, &mut segment, sorted);
    effects::note(&mut segment, &effects::CommandForm { form: programs::UNKNOWN, head: usize::MAX });
    let runs = matches!(&inner, InnerCommand::Words(words) if !words.is_empty())
        || matches!(inner, InnerCommand::Text(_));
    if wrapper.itself == WrapperEffect::Nothing && runs {
        segment.role = Role::Wrapper;
    }
    script.segments.push(segment.clone());
    match inner {
        InnerCommand::Words(words) if words.is_empty() => {}
        InnerCommand::Words(words) => nested(script, words, &via, depth),
        InnerCommand::Text(word) => match word.known() {
            Some(text) => script.add(super::script(text, depth + 1), &via),
            None => script.unsure(&segment.text, "the text of this command is known only when it runs"),
        },
    }
}

fn nested(script: &mut Script, words: Vec<Word>, via: &[String], depth: usize) {
    if via.len() > 20 {
        return script.unsure(&via.join(" "), "commands are nested too deeply");
    }
    let mut inner = Segment::of(words);
    inner.via = via.to_vec();
    segment(script, inner, depth);
}

/// The command that a wrapper such as `env` or `sh -c` runs: words, or a shell text.
enum InnerCommand {
    Words(Vec<Word>),
    Text(Word),
}

fn unwrap(wrapper: &Wrapper, segment: &mut Segment, mut sorted: Options) -> InnerCommand {
    let first = sorted.first.map_or(segment.words.len(), |first| first + 1);
    let mut rest: Vec<Word> = segment.words.get(first..).unwrap_or_default().to_vec();
    // Options after the wrapper's first operand belong to the command that the wrapper runs.
    sorted.options =
        options::sort(&segment.words[1..first], wrapper.valued, Style::Clusters, OptionsEnd::End).options;
    if wrapper.runs == WrappedCommand::TextOfOption {
        return text_of_option(wrapper, segment, &sorted, rest);
    }
    if only_asks(segment, &sorted) {
        return InnerCommand::Words(Vec::new());
    }
    unknown_options(wrapper, segment, &sorted);
    if let Some(word) = rest.iter().take(wrapper.skip).find(|word| word.known().is_none()) {
        segment.more(word.text.clone(), UNKNOWN);
    }
    if wrapper.runs == WrappedCommand::WordsAfterSettings {
        settings(segment, &mut rest);
    }
    rest.drain(..wrapper.skip.min(rest.len()));
    let program = segment.program_name().unwrap_or_default();
    if program == "coproc" && rest.get(1).is_some_and(|word| word.known() == Some("{")) {
        rest.remove(0);
    }
    if program == "env"
        && let Some(text) = split_string(&sorted)
    {
        rest.insert(0, text);
        return InnerCommand::Text(joined(&rest));
    }
    match wrapper.runs {
        WrappedCommand::Text if rest.is_empty() => InnerCommand::Words(rest),
        WrappedCommand::Text if program == "trap" => InnerCommand::Text(rest.swap_remove(0)),
        WrappedCommand::Text => InnerCommand::Text(joined(&rest)),
        WrappedCommand::WordsAndInput => InnerCommand::Words(with_input(rest, &sorted)),
        _ => InnerCommand::Words(rest),
    }
}

/// Returns the value of `env -S`, which contains the command and its first arguments.
fn split_string(sorted: &Options) -> Option<Word> {
    let given = |option: &str| option == "-S" || option == "--split-string";
    let (_, value) = sorted.options.iter().find(|(option, _)| given(option))?;
    value.clone()
}

const UNKNOWN: &str = "its effect on the command that follows is unknown";

/// Checks for `command -v`, which prints the path of a program and runs nothing.
fn only_asks(segment: &Segment, sorted: &Options) -> bool {
    segment.program_name() == Some("command")
        && sorted.options.iter().any(|(option, _)| option == "-v" || option == "-V")
}

/// Records an option of a wrapper that is not known to be harmless, because it makes uncertain which word is
/// the program that the wrapper runs.
fn unknown_options(wrapper: &Wrapper, segment: &mut Segment, sorted: &Options) {
    let plain = |option: &str| wrapper.plain.split(' ').any(|known| known == option);
    let vague = |value: &Option<Word>| value.as_ref().is_some_and(|value| value.sure == Certainty::Nothing);
    let strange = sorted.options.iter().find(|(option, value)| !plain(option) || vague(value));
    if let Some((option, _)) = strange {
        segment.more(option.clone(), UNKNOWN);
    }
    if let Some(word) = sorted.doubtful.first() {
        segment.more(word.text.clone(), UNKNOWN);
    }
}

/// Moves the leading `NAME=value` words of `env` and similar programs into the assignments of the segment.
fn settings(segment: &mut Segment, rest: &mut Vec<Word>) {
    let count = rest.iter().take_while(|word| name_of(word).is_some()).count();
    for word in rest.drain(..count) {
        let Some(name) = name_of(&word) else { continue };
        let value = word.after(&format!("{name}=")).unwrap_or_else(|| Word::beginning(&word.text, ""));
        segment.assignments.push(Assignment { name, value, reach: VariableScope::Programs });
    }
}

fn name_of(word: &Word) -> Option<String> {
    let (name, _) = word.start.split_once('=')?;
    (!name.is_empty() && !name.contains('/')).then(|| name.to_owned())
}

/// Returns the command that `xargs` runs: the words after the options of `xargs`, or `echo` without such
/// words, followed by unknown words of the input. With `-I`, the input replaces a placeholder instead.
fn with_input(mut rest: Vec<Word>, sorted: &Options) -> Vec<Word> {
    let mark = sorted.options.iter().find(|(option, _)| ["-I", "-i", "--replace"].contains(&option.as_str()));
    let unknown = Word::beginning("…", "");
    let Some((_, mark)) = mark else {
        if rest.is_empty() {
            rest.push(Word::known_as("echo"));
        }
        rest.push(unknown);
        return rest;
    };
    let mark = mark.as_ref().and_then(Word::known).unwrap_or("{}");
    rest.into_iter().map(|word| holed(word, mark)).collect()
}

/// Returns the word with unknown text in place of a placeholder, such as `{}`.
fn holed(word: Word, mark: &str) -> Word {
    match word.start.find(mark) {
        Some(at) if !mark.is_empty() => Word {
            sure: if word.sure == Certainty::Nothing { Certainty::Nothing } else { Certainty::Start },
            start: word.start[..at].to_owned(),
            pattern: None,
            ..word
        },
        _ => word,
    }
}

fn joined(words: &[Word]) -> Word {
    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let known: Option<Vec<&str>> = words.iter().map(Word::known).collect();
    match known {
        Some(known) => Word::known_as(&known.join(" ")),
        None => Word::beginning(&text.join(" "), ""),
    }
}

/// Returns the command of `sh -c`. A shell without `-c` reads a file or its input, and is judged as a
/// program.
fn text_of_option(
    wrapper: &Wrapper,
    segment: &mut Segment,
    sorted: &Options,
    mut rest: Vec<Word>,
) -> InnerCommand {
    let given = |name: &str| sorted.options.iter().any(|(option, _)| option == name);
    unknown_options(wrapper, segment, sorted);
    let user = ["su", "script"].contains(&segment.program_name().unwrap_or_default());
    let after = segment.words.iter().skip_while(|word| word.known() != Some("-c")).nth(1).cloned();
    match (given("-c") || given("--command"), rest.is_empty()) {
        (true, _) if user => InnerCommand::Text(after.unwrap_or_else(|| Word::beginning("-c", ""))),
        (true, false) => InnerCommand::Text(rest.swap_remove(0)),
        _ => {
            segment.effects.extend(rest.into_iter().map(Effect::Reads));
            InnerCommand::Words(Vec::new())
        }
    }
}

/// Separates the words of programs such as `find` from the commands that these programs run.
fn within(segment: &Segment, wrapper: &Wrapper) -> (Vec<Word>, Vec<Vec<Word>>) {
    let (mut own, mut inner) = (Vec::new(), Vec::new());
    let found = found(segment);
    let mut words = segment.words.iter().peekable();
    while let Some(word) = words.next() {
        let runs = word.known().is_some_and(|known| wrapper.valued.split(' ').any(|option| option == known));
        if !runs {
            own.push(word.clone());
            continue;
        }
        if word.known().is_some_and(|known| known.ends_with("dir")) {
            // The option stays among the words of `find`, where it counts as a further effect, because `-execdir`
            // runs the command in many directories.
            own.push(word.clone());
        }
        let mut command = Vec::new();
        let mut mark = false;
        while let Some(word) = words.next_if(|word| word.known() != Some(";")) {
            if mark && word.known() == Some("+") {
                break;
            }
            mark = word.known() == Some("{}");
            command.push(if mark { found.clone() } else { holed(word.clone(), "{}") });
        }
        words.next_if(|word| word.known() == Some(";"));
        if !command.is_empty() {
            inner.push(command);
        }
    }
    (own, inner)
}

/// Returns the value of `{}`: a path below the start directory of `find`, or any path if there are several
/// start directories.
fn found(segment: &Segment) -> Word {
    let unknown = Word::beginning("{}", "");
    let words = segment.words.get(1..).unwrap_or_default();
    let name = |word: &Word| word.known().is_some_and(|known| !known.starts_with(['-', '(', '!']));
    let starts: Vec<&Word> = if segment.program_name() == Some("find") {
        let follows = |word: &&Word| matches!(word.known(), Some("-H" | "-L" | "-P"));
        words.iter().skip_while(follows).take_while(|word| name(word) || word.known().is_none()).collect()
    } else {
        // The first operand of `fd` is a pattern. Further operands and some options name start directories, so
        // `fd` is only known to search the current directory if it has at most the pattern.
        let ours = words.iter().take_while(|word| !matches!(word.known(), Some("-x" | "-X")));
        let ours: Vec<&Word> = ours.collect();
        if ours.len() > 1 || !ours.iter().all(|word| name(word)) { ours } else { Vec::new() }
    };
    let start = match starts.as_slice() {
        [] => ".",
        [start] if name(start) => start.start.as_str(),
        _ => return unknown,
    };
    // Only paths below the start directory are meant, because the directory itself is judged as an operand of `find`.
    let slash = if start.ends_with('/') { "" } else { "/" };
    Word::beginning("{}", &format!("{start}{slash}"))
}
