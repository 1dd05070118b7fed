//! Table of wrappers: programs that run another program, or a script, from their arguments.

/// The part of a wrapper's arguments that is the command it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrappedCommand {
    /// The words from the first operand on.
    Words,
    /// The words from the first operand on, after words of the form `NAME=value` that set variables.
    WordsAfterSettings,
    /// The words from the first operand on, followed by words of the standard input.
    WordsAndInput,
    /// The operands, joined to one shell script.
    Text,
    /// The value of `-c`, a shell script.
    TextOfOption,
    /// The words between an option such as `-exec` and `;` or `+`.
    Within,
}

/// The parts of a wrapper's call that the rules judge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrapperEffect {
    /// Only the command that the wrapper runs is judged, because the wrapper itself has no effect.
    Nothing,
    /// The wrapper is judged as a program, in addition to the command that it runs.
    Judged,
}

pub(crate) struct Wrapper {
    pub(crate) names: &'static str,
    pub(crate) runs: WrappedCommand,
    pub(crate) itself: WrapperEffect,
    pub(crate) valued: &'static str,
    /// Options of the wrapper that do not affect the command which it runs.
    pub(crate) plain: &'static str,
    /// Number of operands before the command that the wrapper runs.
    pub(crate) skip: usize,
}

/// Finds the wrapper with this program name.
pub(crate) fn find(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.split(' ').any(|known| known == name))
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        "env",
        WrappedCommand::WordsAfterSettings,
        "-u --unset -C --chdir -S --split-string -a",
        "-u --unset -i --ignore-environment -0 --null -v",
    ),
    wrapper("nohup chronic catchsegv", WrappedCommand::Words, "", ""),
    // Reserved words that the grammar parses as programs, as in `! { a; }`.
    wrapper("! {", WrappedCommand::Words, "", ""),
    wrapper("setsid", WrappedCommand::Words, "", "-c -f -w --fork --wait --ctty"),
    wrapper("command builtin", WrappedCommand::Words, "", "-p"),
    wrapper("exec", WrappedCommand::Words, "-a", "-c -l -a"),
    wrapper("time", WrappedCommand::Words, "-o -f --output --format", "-p -v -f --format --verbose"),
    wrapper("nice", WrappedCommand::Words, "-n --adjustment", "-n --adjustment"),
    wrapper("ionice", WrappedCommand::Words, "-c -n", "-c -n -t"),
    wrapper("stdbuf", WrappedCommand::Words, "-i -o -e", "-i -o -e"),
    wrapper(
        "timeout",
        WrappedCommand::Words,
        "-k -s --kill-after --signal",
        "-k -s --kill-after --signal --preserve-status --foreground -v --verbose",
    )
    .skip(1),
    wrapper("taskset", WrappedCommand::Words, "", "-c").skip(1),
    wrapper("busybox toybox", WrappedCommand::Words, "", ""),
    wrapper(
        "xargs",
        WrappedCommand::WordsAndInput,
        "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace",
        "-0 --null -d --delimiter -E -I -L -n -P -s -r -t -x --max-args --max-procs --max-lines --no-run-if-empty --verbose --exit -i --replace -l -e",
    ),
    wrapper(
        "sh bash dash zsh ksh ash",
        WrappedCommand::TextOfOption,
        "-o +o -O --rcfile --init-file",
        "-c -l -e -u -x -n -o --login --norc --noprofile --posix",
    ),
    wrapper(
        "watch",
        WrappedCommand::Text,
        "-n --interval -q",
        "-n --interval -d -t -b -e -g -c -p --differences --no-title --color",
    ),
    wrapper("find", WrappedCommand::Within, "-exec -execdir -ok -okdir", ""),
    wrapper("fd fdfind", WrappedCommand::Within, "-x -X --exec --exec-batch", ""),
    wrapper("eval", WrappedCommand::Text, "", "").judged(),
    wrapper("trap", WrappedCommand::Text, "", "").judged(),
    wrapper("sudo", WrappedCommand::WordsAfterSettings, "-u -g -h -p -C -D -R -T -U -r -t", "").judged(),
    wrapper("doas", WrappedCommand::Words, "-u -C", "").judged(),
    wrapper("pkexec runuser", WrappedCommand::Words, "--user -u", "").judged(),
    wrapper("su", WrappedCommand::TextOfOption, "-s -g -G", "").judged(),
    wrapper("script", WrappedCommand::TextOfOption, "-E -O -I -B -T", "").judged(),
    wrapper(
        "ssh",
        WrappedCommand::Text,
        "-i -p -l -o -F -J -L -R -D -E -S -W -w -b -c -e -I -m -O -Q -B",
        "",
    )
    .skip(1)
    .judged(),
    wrapper("parallel", WrappedCommand::Text, "-j -S -a --jobs", "").judged(),
    wrapper("flock", WrappedCommand::Words, "-w -E", "").skip(1).judged(),
    wrapper("chroot", WrappedCommand::Words, "", "").skip(1).judged(),
    wrapper("strace ltrace", WrappedCommand::Words, "-o -e -p -s -P -E -u", "").judged(),
    wrapper(
        "coproc unshare nsenter setpriv systemd-run unbuffer proxychains proot fakeroot",
        WrappedCommand::Words,
        "",
        "",
    )
    .judged(),
];

const fn wrapper(
    names: &'static str,
    runs: WrappedCommand,
    valued: &'static str,
    plain: &'static str,
) -> Wrapper {
    Wrapper { names, runs, itself: WrapperEffect::Nothing, valued, plain, skip: 0 }
}

impl Wrapper {
    const fn judged(self) -> Self {
        Self { itself: WrapperEffect::Judged, ..self }
    }

    const fn skip(self, skip: usize) -> Self {
        Self { skip, ..self }
    }
}
