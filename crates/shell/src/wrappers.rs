//! The programs that run another program, or a text, that their arguments name.

/// The command that a wrapper runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The words from the first operand on.
    Words,
    /// The same, with names and values before it that are set.
    WordsAfterSettings,
    /// The words, with more words of the input behind them.
    WordsAndInput,
    /// The operands, put together, as a text of shell.
    Text,
    /// The value of `-c` as a text of shell.
    TextOfOption,
    /// The words between an option and `;` or `+`.
    Within,
}

/// The effect of a wrapper itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Itself {
    Nothing,
    Judged,
}

pub(crate) struct Wrapper {
    pub(crate) names: &'static str,
    pub(crate) runs: Runs,
    pub(crate) itself: Itself,
    pub(crate) valued: &'static str,
    /// Options that do not affect the command.
    pub(crate) plain: &'static str,
    /// Number of operands before the command.
    pub(crate) skip: usize,
}

/// Finds the wrapper of a name.
pub(crate) fn find(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.split(' ').any(|known| known == name))
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        "env",
        Runs::WordsAfterSettings,
        "-u --unset -C --chdir -S --split-string -a",
        "-u --unset -i --ignore-environment -0 --null -v",
    ),
    wrapper("nohup chronic catchsegv", Runs::Words, "", ""),
    // Reserved words that the grammar takes for programs, as in `! { a; }`.
    wrapper("! {", Runs::Words, "", ""),
    wrapper("setsid", Runs::Words, "", "-c -f -w --fork --wait --ctty"),
    wrapper("command builtin", Runs::Words, "", "-p"),
    wrapper("exec", Runs::Words, "-a", "-c -l -a"),
    wrapper("time", Runs::Words, "-o -f --output --format", "-p -v -f --format --verbose"),
    wrapper("nice", Runs::Words, "-n --adjustment", "-n --adjustment"),
    wrapper("ionice", Runs::Words, "-c -n", "-c -n -t"),
    wrapper("stdbuf", Runs::Words, "-i -o -e", "-i -o -e"),
    wrapper(
        "timeout",
        Runs::Words,
        "-k -s --kill-after --signal",
        "-k -s --kill-after --signal --preserve-status --foreground -v --verbose",
    )
    .skip(1),
    wrapper("taskset", Runs::Words, "", "-c").skip(1),
    wrapper("busybox toybox", Runs::Words, "", ""),
    wrapper(
        "xargs",
        Runs::WordsAndInput,
        "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace",
        "-0 --null -d --delimiter -E -I -L -n -P -s -r -t -x --max-args --max-procs --max-lines --no-run-if-empty --verbose --exit -i --replace -l -e",
    ),
    wrapper(
        "sh bash dash zsh ksh ash",
        Runs::TextOfOption,
        "-o +o -O --rcfile --init-file",
        "-c -l -e -u -x -n -o --login --norc --noprofile --posix",
    ),
    wrapper(
        "watch",
        Runs::Text,
        "-n --interval -q",
        "-n --interval -d -t -b -e -g -c -p --differences --no-title --color",
    ),
    wrapper("find", Runs::Within, "-exec -execdir -ok -okdir", ""),
    wrapper("fd fdfind", Runs::Within, "-x -X --exec --exec-batch", ""),
    wrapper("eval", Runs::Text, "", "").judged(),
    wrapper("trap", Runs::Text, "", "").judged(),
    wrapper("sudo", Runs::WordsAfterSettings, "-u -g -h -p -C -D -R -T -U -r -t", "").judged(),
    wrapper("doas", Runs::Words, "-u -C", "").judged(),
    wrapper("pkexec runuser", Runs::Words, "--user -u", "").judged(),
    wrapper("su", Runs::TextOfOption, "-s -g -G", "").judged(),
    wrapper("script", Runs::TextOfOption, "-E -O -I -B -T", "").judged(),
    wrapper("ssh", Runs::Text, "-i -p -l -o -F -J -L -R -D -E -S -W -w -b -c -e -I -m -O -Q -B", "")
        .skip(1)
        .judged(),
    wrapper("parallel", Runs::Text, "-j -S -a --jobs", "").judged(),
    wrapper("flock", Runs::Words, "-w -E", "").skip(1).judged(),
    wrapper("chroot", Runs::Words, "", "").skip(1).judged(),
    wrapper("strace ltrace", Runs::Words, "-o -e -p -s -P -E -u", "").judged(),
    wrapper(
        "coproc unshare nsenter setpriv systemd-run unbuffer proxychains proot fakeroot",
        Runs::Words,
        "",
        "",
    )
    .judged(),
];

const fn wrapper(names: &'static str, runs: Runs, valued: &'static str, plain: &'static str) -> Wrapper {
    Wrapper { names, runs, itself: Itself::Nothing, valued, plain, skip: 0 }
}

impl Wrapper {
    const fn judged(self) -> Self {
        Self { itself: Itself::Judged, ..self }
    }

    const fn skip(self, skip: usize) -> Self {
        Self { skip, ..self }
    }
}
