//! Effects of a command that follow from its options, operands and assignments.

use crate::{
    Certainty, Effect, Options, Segment, VariableScope, Word, contents, copies,
    options::{self, OptionsEnd},
    programs::{self, Form, Operands, OptionEffect, git},
    searches,
};

/// The table entry for a command, and the position where the options of the command begin.
pub(crate) struct CommandForm {
    pub(crate) form: &'static Form,
    /// Number of words before the options: the program and its subcommand.
    pub(crate) head: usize,
}

/// Finds the table entry (`Form`) for the program and subcommand of a command.
pub(crate) fn known(segment: &Segment) -> CommandForm {
    let Some(name) = segment.program_name() else { return CommandForm { form: programs::UNKNOWN, head: 1 } };
    let first = if name == "git" { subcommand(segment) } else { 1 };
    let word = |at: usize| segment.words.get(at).and_then(Word::known).unwrap_or_default();
    let (one, two) = (word(first), word(first + 1));
    for (depth, text) in [(2, format!("{name} {one} {two}")), (1, format!("{name} {one}"))] {
        if let Some(form) = programs::find(&text) {
            return CommandForm { form, head: first + depth };
        }
    }
    CommandForm { form: programs::find(name).unwrap_or(programs::UNKNOWN), head: 1 }
}

impl Segment {
    /// Returns the subcommand of a `git` command, which follows git's own options; `None` for another program, and if the
    /// subcommand is known only when the command runs.
    #[must_use]
    pub fn git_subcommand(&self) -> Option<&str> {
        self.program_name().filter(|name| *name == "git")?;
        self.words.get(subcommand(self)).and_then(Word::known)
    }
}

/// Returns the index of the subcommand among the words of a `git` command.
fn subcommand(segment: &Segment) -> usize {
    let words = segment.words.get(1..).unwrap_or_default();
    let sorted = options::sort(words, git::VALUED, options::Style::OneDash, OptionsEnd::Operand);
    sorted.first.map_or(segment.words.len(), |first| first + 1)
}

/// Records the effects of the options before git's subcommand.
fn note_globals(segment: &mut Segment) {
    let end = subcommand(segment);
    let words = segment.words.get(1..end).unwrap_or_default();
    let globals = options::sort(words, git::VALUED, options::Style::OneDash, OptionsEnd::End);
    for (given, _) in &globals.options {
        if let Some((option, act)) = programs::act(git::ACTS, given) {
            segment.more(option, describe(act));
        }
    }
}

/// Records all effects of a command's words, according to its table entry.
pub(crate) fn note(segment: &mut Segment, known: &CommandForm) {
    let form = known.form;
    if segment.program_name() == Some("git") {
        note_globals(segment);
    }
    let words = segment.words.get(known.head..).unwrap_or_default().to_vec();
    let sorted = options::sort(&words, form.valued, form.style, OptionsEnd::End);
    for (given, value) in &sorted.options {
        option(segment, form, given, value.as_ref());
    }
    let stray = |word: &&Word| word.start.starts_with('-');
    let values = sorted.options.iter().filter_map(|(_, value)| value.as_ref());
    for word in values.chain(&sorted.operands).filter(stray) {
        // Only the program knows whether the word is a value or an option, so its effects as an option count,
        // too.
        for (given, value) in
            options::sort(std::slice::from_ref(word), form.valued, form.style, OptionsEnd::End).options
        {
            option(segment, form, &given, value.as_ref());
        }
    }
    // A match of a wildcard is a name in the wildcard's directory. If the options of the command only read files, a
    // match that looks like an option cannot make the command read a file in another directory.
    let harms = |word: &&Word| {
        form.acts.iter().any(|(_, act)| *act != OptionEffect::Reads || (word.sure == Certainty::Nothing))
    };
    if let Some(doubtful) = sorted.doubtful.iter().find(harms) {
        let what = "the value is known only when the command runs, and may be an option with further effects";
        segment.more(doubtful.text.clone(), what);
    }
    let is_git = segment.program_name() == Some("git");
    let named = if is_git { contents::without_excluded(&sorted) } else { sorted.clone() };
    operands(segment, form, &named);
    searches::note(segment, form, &sorted);
    if form.is_called("git diff") {
        // `git diff` reads an operand outside the repository as a file, not as a path of a revision.
        let elsewhere = |word: &&Word| {
            word.start.starts_with(['/', '~']) || word.start.split('/').any(|part| part == "..")
        };
        segment.effects.extend(sorted.operands.iter().filter(elsewhere).cloned().map(Effect::Reads));
    }
    if known.form.is_called("git push") {
        let forced = |word: &&Word| word.start.starts_with(['+', ':']);
        if let Some(word) = sorted.operands.iter().find(forced) {
            segment.more(word.start.clone(), "this argument overwrites or deletes a branch of the remote");
        }
    }
    if form.is_called("date")
        && let Some(word) = sorted.operands.iter().find(|word| !word.start.starts_with('+'))
    {
        segment.more(word.start.clone(), "an operand that does not begin with `+` sets the clock");
    }
    if is_git {
        note_paths_of_revisions(segment, known, &named);
        let first = subcommand(segment);
        contents::note(segment, first, &sorted);
    }
    if matches!(segment.program_name(), Some("test" | "cd")) {
        segment.effects.extend(words.into_iter().map(Effect::Tests));
    }
    variables(segment);
}

/// Records the paths that a git command reads from revisions: `REVISION:PATH`, `:PATH` and `-L RANGE:PATH`.
fn note_paths_of_revisions(segment: &mut Segment, known: &CommandForm, sorted: &Options) {
    let subcommand = segment.words.get(known.head.wrapping_sub(1)).and_then(Word::known);
    if !subcommand.is_some_and(|name| git::OF_REVISIONS.contains(&name)) {
        return;
    }
    let values = sorted.options.iter().filter_map(|(_, value)| value.as_ref());
    for word in values.chain(&sorted.operands) {
        if let Some((revision, _)) = word.start.rsplit_once(':')
            && let Some(path) = word.after(&format!("{revision}:"))
        {
            segment.effects.push(Effect::Names(path));
        }
    }
}

impl Segment {
    /// Returns whether the command has an option, in any spelling: long, short, abbreviated, or in a cluster.
    #[must_use]
    pub fn carries(&self, option: &str) -> bool {
        let form = known(self).form;
        let mut meant = vec![option];
        let long =
            form.same.iter().find(|(short, long)| *short == option || *long == option).map(|(_, long)| *long);
        meant.extend(long);
        meant.extend(form.same.iter().filter(|(_, other)| long == Some(*other)).map(|(short, _)| *short));
        let words: Vec<&str> = self
            .words
            .iter()
            .skip(1)
            .map(|word| word.start.as_str())
            .filter(|word| word.starts_with('-'))
            .collect();
        let letter = |wanted: &str| {
            let cluster = |word: &&str| !word.starts_with("--") && word[1..].contains(&wanted[1..]);
            wanted.len() == 2 && words.iter().any(cluster)
        };
        let alone = |wanted: &str| {
            words.iter().any(|word| {
                let name = word.split('=').next().unwrap_or(word);
                *word == wanted || name == wanted || (name.len() > 3 && Options::means(name, wanted))
            })
        };
        if meant.iter().any(|wanted| letter(wanted) || alone(wanted)) {
            return true;
        }
        let cluster = option.len() > 2 && !option.starts_with("--") && form.style == options::Style::Clusters;
        cluster && option[1..].chars().all(|letter| self.carries(&format!("-{letter}")))
    }
}

fn option(segment: &mut Segment, form: &Form, given: &str, value: Option<&Word>) {
    let act = programs::act(form.acts, given).or_else(|| {
        let is_git = segment.program_name() == Some("git");
        is_git.then(|| programs::act(git::ANYWHERE, given)).flatten()
    });
    let Some((option, act)) = act else {
        // The value of an option may name a file, except for options such as `--exclude`, whose files are not read.
        if let Some(value) = value.filter(|_| !given.starts_with("--exclude")) {
            segment.effects.push(Effect::Names(value.clone()));
        }
        return;
    };
    match (act, value) {
        (OptionEffect::Writes, Some(value)) => segment.effects.push(Effect::Writes(value.clone())),
        (OptionEffect::Reads, Some(value)) => segment.effects.push(Effect::Reads(value.clone())),
        _ => segment.more(option, describe(act)),
    }
}

/// The effect of options that run other programs.
const RUNS: &str = "this option can run other programs";

impl Effect {
    /// Checks whether the effect is that of an option which runs other programs.
    #[must_use]
    pub fn runs_programs(&self) -> bool {
        matches!(self, Self::More { what, .. } if what == RUNS)
    }
}

fn describe(act: OptionEffect) -> &'static str {
    match act {
        OptionEffect::Runs => RUNS,
        OptionEffect::Changes => "this option makes the command change something",
        OptionEffect::Elsewhere => {
            "with this option the command works in another directory or on another machine"
        }
        OptionEffect::Writes => "with this option the command writes a file",
        OptionEffect::Reads => "with this option the command reads a file",
    }
}

fn operands(segment: &mut Segment, form: &Form, sorted: &Options) {
    let mut words = sorted.operands.iter();
    match form.operands {
        Operands::Text => {}
        Operands::Variables => set_by_operands(segment, sorted),
        Operands::Names => segment.effects.extend(words.cloned().map(Effect::Names)),
        Operands::Files => segment.effects.extend(words.cloned().map(Effect::Reads)),
        Operands::TextThenFiles(instead) => {
            let skipped = usize::from(!sorted.has(instead));
            segment.effects.extend(words.skip(skipped).cloned().map(Effect::Reads));
        }
        Operands::Written => segment.effects.extend(words.cloned().map(Effect::Writes)),
        Operands::Copied(copies) => copies::note(segment, form, copies, sorted),
        Operands::Dd => copies::note_dd(segment, sorted),
        Operands::Packed => copies::note_tar(segment, sorted),
        Operands::NamesChanged => {
            segment.effects.extend(words.clone().cloned().map(Effect::Names));
            segment.effects.extend(words.cloned().map(Effect::MayWrite));
        }
        Operands::ReadThenWritten => {
            segment.effects.extend(words.next().cloned().map(Effect::Reads));
            segment.effects.extend(words.cloned().map(Effect::Writes));
        }
        Operands::Addresses => {
            segment.effects.extend(words.cloned().map(Effect::Fetches));
            copies::note_sent(segment, sorted);
        }
        Operands::Change => {
            if let Some(word) = words.next() {
                segment.more(
                    word.start.clone(),
                    "with this argument, the command changes something instead of only listing",
                );
            }
        }
        Operands::Sed => {
            let written: Vec<Word> = values(sorted, "-e --expression");
            let script = if sorted.has("-e -f --expression --file") { None } else { words.next().cloned() };
            let harmless = |word: &Word| word.known().is_some_and(crate::scripts::sed_only_prints);
            if let Some(word) = written.iter().chain(&script).find(|word| !harmless(word)) {
                segment.more(word.text.clone(), "the script may do more than print lines");
            }
            segment.effects.extend(words.cloned().map(Effect::Reads));
        }
        Operands::Awk => {
            let script = words.next();
            let harmless = |word: &Word| word.known().is_some_and(crate::scripts::awk_only_prints);
            if let Some(word) = script.filter(|word| !harmless(word)) {
                segment.more(word.text.clone(), "the script may run programs or write files");
            }
            segment.effects.extend(words.cloned().map(Effect::Reads));
        }
    }
}

fn values(sorted: &Options, names: &str) -> Vec<Word> {
    let given = sorted.given(names);
    given.map(|(option, value)| value.clone().unwrap_or_else(|| Word::beginning(option, ""))).collect()
}

/// Environment variables that only change how a program presents its output.
const HARMLESS: &[&str] = &[
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "CI",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "COLUMNS",
    "LINES",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CARGO_TERM_COLOR",
    "NODE_ENV",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "DEBIAN_FRONTEND",
    "VERBOSE",
    "DEBUG",
    "LOG_LEVEL",
];

/// Variables of the shell, and environment variables with which programs choose a behaviour or other
/// programs.
const SENSITIVE: &[&str] = &[
    "PATH",
    "HOME",
    "IFS",
    "ENV",
    "SHELL",
    "TMPDIR",
    "CDPATH",
    "PS4",
    "PROMPT_COMMAND",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "GLOBIGNORE",
    "FIGNORE",
    "EXECIGNORE",
    "OPTIND",
    "SHELLOPTS",
    "USER",
    "LOGNAME",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "XDG_CONFIG_HOME",
    "PWD",
    "OLDPWD",
    "INPUTRC",
    "FUNCNEST",
    "POSIXLY_CORRECT",
];

/// Variables with which build tools and other programs find the programs that they run.
const TOOLS: &[&str] = &[
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKEFLAGS",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "BROWSER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "GH_PAGER",
    "SYSTEMD_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
];

const SENSITIVE_BEGINNINGS: &[&str] = &[
    "LD_", "DYLD_", "BASH", "GIT_", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "CARGO_", "RUST", "GCONV",
    "MALLOC",
];

/// Records the variables that the operands of `read` and similar builtins set.
fn set_by_operands(segment: &mut Segment, sorted: &Options) {
    for word in &sorted.operands {
        match word.known() {
            Some(name) if !is_name(name) => segment.more(word.text.clone(), INDEX),
            Some(name) => segment.assignments.push(crate::Assignment {
                name: name.to_owned(),
                value: Word::beginning("…", ""),
                reach: VariableScope::Shell,
            }),
            None => segment.more(word.text.clone(), "the variable that the command sets is unknown"),
        }
    }
}

/// Records each variable that the command sets and that can change which programs run, or how they behave.
fn variables(segment: &mut Segment) {
    let noted: Vec<String> =
        segment.assignments.iter().filter(|set| changes_programs(set)).map(|set| set.name.clone()).collect();
    for name in noted {
        segment.more(format!("{name}="), "this variable can change which programs run, or how they behave");
    }
}

/// The reason why the effect of setting a variable with an invalid name is unknown.
pub(crate) const INDEX: &str = "this is not a plain variable name, and an index in a name can run commands";

/// Returns whether a text is a plain variable name, without an index.
pub(crate) fn is_name(text: &str) -> bool {
    let begins = text.starts_with(|found: char| found.is_ascii_alphabetic() || found == '_');
    begins && text.chars().all(|found| found.is_ascii_alphanumeric() || found == '_')
}

impl crate::Assignment {
    /// Checks whether the variable can pass code to a program: it sets a search path of programs or libraries, or it
    /// can change which programs run and its value is more than one plain word.
    #[must_use]
    pub fn passes_code(&self) -> bool {
        let name = self.name.as_str();
        let is_library = name == "PATH" || name.starts_with("LD_") || name.starts_with("DYLD_");
        let is_sensitive = SENSITIVE.contains(&name)
            || TOOLS.contains(&name)
            || SENSITIVE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
        let is_word =
            |value: &str| value.chars().all(|found| found.is_ascii_alphanumeric() || "_-.,".contains(found));
        is_library || (is_sensitive && !self.value.known().is_some_and(is_word))
    }
}

fn changes_programs(set: &crate::Assignment) -> bool {
    let name = set.name.as_str();
    if !is_name(name) {
        return true;
    }
    let pager = ["PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER"].contains(&name);
    if pager && matches!(set.value.known(), Some("cat" | "")) {
        return false;
    }
    let harmless = HARMLESS.contains(&name) || name.starts_with("LC_");
    match set.reach {
        VariableScope::Programs => !harmless,
        VariableScope::Shell => {
            SENSITIVE.contains(&name)
                || (!harmless && SENSITIVE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)))
        }
    }
}
