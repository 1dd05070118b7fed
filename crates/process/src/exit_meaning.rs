//! Meaning of exit codes: for some programs, a code other than 0 is a result and not a failure.

use std::ffi::{OsStr, OsString};

use crate::launch::Program;
use crate::state::Exit;

/// Meaning of a program's exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitMeaning {
    /// Success or failure of the program, according to its exit status.
    pub verdict: Verdict,
    /// The meaning of the exit status for a reader, in a few words; empty if the status needs no explanation.
    pub words: String,
    /// A possible cause of the exit, to be shown unless Toolpost stopped the program.
    pub guess: Option<&'static str>,
}

/// Success or failure of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The program succeeded.
    Done,
    /// The program failed.
    Failed,
}

/// Programs (some with a subcommand) whose exit code 1 is a result and not a failure, each with the meaning
/// of that code.
const ANSWERS: &[(&[&str], &str)] = &[
    (&["git", "grep"], "no matches"),
    (&["git", "diff"], "there are differences"),
    (&["grep"], "no matches"),
    (&["egrep"], "no matches"),
    (&["fgrep"], "no matches"),
    (&["zgrep"], "no matches"),
    (&["rg"], "no matches"),
    (&["ag"], "no matches"),
    (&["pgrep"], "no matches"),
    (&["diff"], "there are differences"),
    (&["cmp"], "there are differences"),
    (&["colordiff"], "there are differences"),
    (&["test"], "the condition is false"),
    (&["["], "the condition is false"),
];

/// Returns the meaning of a program's exit.
pub fn meaning(program: &Program, exit: Exit) -> ExitMeaning {
    let failed = |words: String| ExitMeaning { verdict: Verdict::Failed, words, guess: None };
    match exit {
        Exit::Code(0) => ExitMeaning { verdict: Verdict::Done, words: String::new(), guess: None },
        Exit::Code(1) => match answer(program) {
            Some(words) => ExitMeaning { verdict: Verdict::Done, words: words.to_owned(), guess: None },
            None => failed(String::new()),
        },
        Exit::Code(126) => failed("usually: the program was found, but is not executable".to_owned()),
        Exit::Code(127) => failed("usually: the program was not found".to_owned()),
        // A shell exits with 128 + N if signal N killed the command. Other programs may use these codes
        // differently. 129 (SIGHUP) is excluded: it is git's code for a usage error, and commands get no
        // SIGHUP here.
        Exit::Code(code @ 130..=192) => by_shell(code),
        Exit::Code(_) => failed(String::new()),
        Exit::Signal(signal) => {
            ExitMeaning { guess: guess(signal), ..failed(format!("killed by {}", name(signal))) }
        }
        Exit::Unknown => failed(
            "the exit status is unknown: the command's supervisor was killed, or the command could not be \
             killed"
                .to_owned(),
        ),
    }
}

/// Returns the meaning that an exit code above 128 has in a shell; without an explanation if `code - 128` is
/// not a signal in `SIGNALS`.
fn by_shell(code: i32) -> ExitMeaning {
    let signal = code - 128;
    let is_known = SIGNALS.iter().any(|(number, _)| *number == signal);
    let words = if is_known { format!("usually: killed by {}", name(signal)) } else { String::new() };
    ExitMeaning { verdict: Verdict::Failed, words, guess: guess(signal) }
}

fn guess(signal: i32) -> Option<&'static str> {
    (signal == libc::SIGKILL).then_some("the program may have run out of memory")
}

fn name(signal: i32) -> String {
    let known = SIGNALS.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| format!("{name} ({signal})"))
}

const SIGNALS: &[(i32, &str)] = &[
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGSYS, "SIGSYS"),
];

fn answer(program: &Program) -> Option<&'static str> {
    let words: Vec<String> = match program {
        Program::Direct { program, arguments } if let Some(line) = line_of(program, arguments) => {
            last_command(line)?
        }
        Program::Direct { program, arguments } => {
            let words = std::iter::once(program).chain(arguments.first());
            words.map(|word| word.to_string_lossy().into_owned()).collect()
        }
        Program::Line { line, .. } => last_command(line)?,
    };
    let name = words.first()?.rsplit('/').next()?;
    let is_it = |names: &[&str]| {
        names.first() == Some(&name)
            && names.get(1).is_none_or(|second| words.get(1).is_some_and(|word| word == second))
    };
    ANSWERS.iter().find(|(names, _)| is_it(names)).map(|(_, says)| *says)
}

/// Returns the shell command in the arguments of a shell, as in `bash -c LINE`.
fn line_of<'a>(program: &OsStr, arguments: &'a [OsString]) -> Option<&'a str> {
    let [option, line] = arguments else { return None };
    let name = program.to_str()?.rsplit('/').next()?;
    let is_shell = ["bash", "sh", "dash", "zsh"].contains(&name);
    (is_shell && ["-c", "-lc"].iter().any(|wanted| option == wanted)).then(|| line.to_str())?
}

/// Returns the words of the last command in a command line, if an exit code other than 0 must be that command's own.
/// `None` if another command can have caused it, as in `cd nowhere && grep word file`, or if this simple parser
/// cannot tell.
fn last_command(line: &str) -> Option<Vec<String>> {
    if line.contains("pipefail") || line.contains("<<") {
        return None;
    }
    let mut list = List::default();
    let mut command = Command::default();
    let mut letters = line.trim().chars();
    while let Some(letter) = letters.next() {
        let rest = letters.as_str();
        match letter {
            '(' | ')' | '{' | '}' | '`' | '#' | '!' => return None,
            '&' if command.is_redirected() || rest.starts_with('>') => command.word().push('&'),
            ';' | '\n' => list.end(&mut command, Join::Next)?,
            '&' if rest.starts_with('&') => {
                letters.next();
                list.end(&mut command, Join::IfDone)?;
            }
            '&' => list.end(&mut command, Join::Next)?,
            '<' | '>' => command.redirect(letter),
            '|' if command.is_redirected() => command.word().push('|'),
            '|' if rest.starts_with('|') => {
                letters.next();
                list.end(&mut command, Join::IfFailed)?;
            }
            '|' => {
                // `|&` also redirects the standard error.
                if rest.starts_with('&') {
                    letters.next();
                }
                list.end(&mut command, Join::Pipe)?;
            }
            '\'' => command.word().extend(letters.by_ref().take_while(|letter| *letter != '\'')),
            '"' => double_quoted(&mut letters, command.word())?,
            '\\' => command.word().extend(letters.next()),
            letter if letter.is_whitespace() => command.ended = WordBoundary::Yes,
            letter => command.word().push(letter),
        }
    }
    (list.certain == Certain::Yes && !command.may_not_run()).then(|| command.into_words())
}

/// The way in which two commands are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `;`, a line break, or `&`.
    Next,
    /// `|` or `|&`.
    Pipe,
    /// `&&`.
    IfDone,
    /// `||`.
    IfFailed,
}

/// The origin of an exit code other than 0: certainly the command that is being parsed, or perhaps an earlier one.
#[derive(Default, PartialEq, Eq)]
enum Certain {
    #[default]
    Yes,
    No,
}

/// The list of commands before the one that is being parsed.
#[derive(Default)]
struct List {
    certain: Certain,
}

impl List {
    /// Ends a command. `None` if the command can end the shell, or change how its later commands end.
    fn end(&mut self, command: &mut Command, join: Join) -> Option<()> {
        let command = std::mem::take(command);
        let first = command.first();
        let name = command.words.get(first).map_or("", String::as_str);
        // After a redirection, the name can be in any word.
        if command.redirections.iter().any(|(index, _)| *index == first) {
            return None;
        }
        if ["set", "exit", "return", "exec", "trap", "shopt", "source", ".", "eval", "command", "builtin"]
            .contains(&name)
        {
            return None;
        }
        match join {
            // After `&&`, the command may not have run at all: the code is then that of the command before.
            Join::IfDone => self.certain = Certain::No,
            // After `||`, a code other than 0 means that the command ran.
            Join::Next | Join::IfFailed => self.certain = Certain::Yes,
            // A pipeline has the code of its last command, and its first command decides whether it runs.
            Join::Pipe => {}
        }
        Some(())
    }
}

/// Words of the shell, and options of `time`, that precede a command.
const BEFORE_COMMANDS: [&str; 10] =
    ["if", "then", "elif", "else", "while", "until", "do", "time", "-p", "--"];

/// The targets of redirections that never fail: a standard stream, none, and the null device.
const SAFE_TARGETS: [&str; 5] = ["&0", "&1", "&2", "&-", "/dev/null"];

/// The words of the command that is being parsed, within a line of several commands.
#[derive(Default)]
struct Command {
    words: Vec<String>,
    /// The redirections: for each, the index of the word with the operator, and the length of that word up to the end
    /// of `<` or `>`.
    redirections: Vec<(usize, usize)>,
    ended: WordBoundary,
}

#[derive(Default, PartialEq, Eq)]
enum WordBoundary {
    #[default]
    Yes,
    No,
}

impl Command {
    /// Returns whether the next character belongs to the operator of a redirection, as in `2>&1`.
    fn is_redirected(&self) -> bool {
        let Some(word) = self.words.last() else { return false };
        let end = (self.words.len() - 1, word.len());
        self.ended == WordBoundary::No && self.redirections.last() == Some(&end)
    }

    /// Adds `<` or `>`, which is not quoted.
    fn redirect(&mut self, letter: char) {
        if self.is_redirected() {
            self.redirections.pop();
        }
        let word = self.word();
        word.push(letter);
        let length = word.len();
        self.redirections.push((self.words.len() - 1, length));
    }

    /// Returns whether a redirection can fail. The shell then reports 1 without running the command.
    fn may_not_run(&self) -> bool {
        self.redirections.iter().any(|(index, length)| {
            let rest = self.words.get(*index).and_then(|word| word.get(*length..)).unwrap_or_default();
            let next = self.words.get(index + 1).map_or("", String::as_str);
            let target = if rest.is_empty() { next } else { rest };
            !SAFE_TARGETS.contains(&target)
        })
    }

    /// Returns the index of the command's name, after the assignments and the words that precede a command.
    fn first(&self) -> usize {
        let is_before = |word: &&String| is_assignment(word) || BEFORE_COMMANDS.contains(&word.as_str());
        self.words.iter().take_while(is_before).count()
    }

    /// Returns the words after the assignments of variables.
    fn into_words(self) -> Vec<String> {
        self.words.into_iter().skip_while(|word| is_assignment(word)).collect()
    }

    /// Returns the word that is being parsed.
    fn word(&mut self) -> &mut String {
        if self.ended == WordBoundary::Yes {
            self.words.push(String::new());
            self.ended = WordBoundary::No;
        }
        let last = self.words.len() - 1;
        &mut self.words[last]
    }
}

fn double_quoted(letters: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match letters.next()? {
            '"' => return Some(()),
            '`' => return None,
            '\\' => word.extend(letters.next()),
            letter => word.push(letter),
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
}
