//! Differential test of the shell reader: a real bash runs thousands of generated scripts in the sandbox, and no command runs that the
//! reader neither found nor doubted.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests look at the machine")]

mod common;

use common::World;
use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::PathBuf};
use toolpost_process::{Launch, Plan, Program, Sandbox, Until, available, inner_step_of};
use toolpost_shell::{Effect, Role, Script, Segment, Word, read};

/// The harmless program whose runs are counted.
const MARKER: &str = "marker";

/// The number of scripts that a run generates; `TOOLPOST_SPELLINGS` changes it.
const COUNT: u64 = 4_000;

/// Values in which a shell may run the payload `@`.
const VALUES: &[&str] = &[
    "$(@)",
    "`@`",
    "<(@)",
    ">(@)",
    "\"@\"",
    "'@'",
    "$'@'",
    "$\"@\"",
    "${x:-@}",
    "${x-@}",
    "${x:+@}",
    "${x+@}",
    "${x:=@}",
    "${x:?@}",
    "${PATH/a/@}",
    "${PATH#@}",
    "${PATH%%@}",
    "${x^@}",
    "${x:@}",
    "${x[@]}",
    "${!x@}",
    "${#x@}",
    "$((@))",
    "$[@]",
    "\\@",
    "a@b",
    "{a,@}",
    "~@",
    "x[@]",
    "x=@",
    "@(@|b)",
    "$(<@)",
    "$(( 1 + $(@) ))",
    "\"a${x:-\"@\"}\"",
    "${x:-${y:-@}}",
    "#@",
    "a#@",
    "\\\n@",
    "@",
];

/// Commands that contain the payload `@`.
const COMMANDS: &[&str] = &[
    "@",
    ": @",
    "x=@",
    "x=@ :",
    "x+=(@)",
    "x[@]=1",
    "declare x=@",
    "export x=@",
    "readonly y=@",
    "read x <<< @",
    ": > @",
    ": 2>@",
    ": <<E\n@\nE\n",
    ": <<'E'\n@\nE\n",
    ": <<-E\n\t@\n\tE\n",
    ": <<E; @\nt\nE\n",
    "[[ @ == @ ]]",
    "[[ a =~ @ ]]",
    "[[ -v @ ]]",
    "[[ @ -eq 1 ]]",
    "[ @ ]",
    "test -v @",
    "case @ in a) :;; esac",
    "case a in @) :;; esac",
    "case a in a) @;; esac",
    "for i in @; do :; done",
    "for ((i=@;i<1;i++)); do :; done",
    "while @; do break; done",
    "if @; then :; fi",
    "f() { @; }; f",
    "f() @",
    "function f { @; }; f",
    "(@)",
    "{ @; }",
    "! @",
    ": | @",
    ": && @",
    ": || @",
    ": & @",
    ":; @",
    ":\n@",
    "eval @",
    "eval '@'",
    "trap @ EXIT",
    "trap '@' EXIT",
    "coproc @",
    "coproc X { @; }",
    "time @",
    "let @",
    "(( @ ))",
    "printf -v x @",
    "printf -v 'x[@]' a",
    "unset 'x[@]'",
    "source @",
    ". <(echo @)",
    "command @",
    "builtin eval @",
    "exec @",
    "exec > @",
    "alias a=@",
    "mapfile -C @ -c 1 <<< a",
    "PS4='@'; set -x; :",
    "PROMPT_COMMAND='@'",
    "BASH_ENV=<(echo @) :",
    ": # @",
    ":#@",
    ": \\# @",
    "wait -p 'x[@]'",
    "local x=@",
    "select i in @; do break; done <<< 1",
    "shopt -s extglob\n: @(@)",
    "until @; do :; break; done",
    "echo @ | . /dev/stdin",
    "env @",
    "env X=1 @",
    "env -S '@'",
    "env -u X -- @",
    "echo x | xargs @",
    "echo x | xargs -I% @ %",
    "find . -maxdepth 0 -exec @ \\;",
    "find . -maxdepth 0 -exec @ {} +",
    "find . -maxdepth 0 -exec sh -c '@' \\;",
    "nohup @",
    "nice -n 5 @",
    "setsid -w @",
    "stdbuf -o0 @",
    "timeout 1 @",
    "timeout -k 1 1 env @",
    "sh -c '@'",
    "bash -c \"@\"",
    "bash <<E\n@\nE\n",
    "sh <<< '@'",
    "a=(@); ${a[*]}",
    "a=(x @)",
    "declare -A m; m[@]=1",
    "declare -a a=(@)",
    "declare -i n='a[$(@)]'",
    "declare -n r='a[$(@)]'; : $r",
    "x=@; $x",
    "x='@'; eval \"$x\"",
    "set -- @; \"$1\"",
    "set -- @; $*",
    "f() { $1; }; f @",
    "f() (@); f",
    "f() { :; }; f $(@)",
    "shopt -s expand_aliases\nalias m='@'\nm",
    "while read -r l; do :; done < <(@)",
    "exec 5< <(@)",
    "case x in x) ;& y) @;; esac",
    "case $(@) in *) :;; esac",
    "[[ -n $(@) && x ]]",
    "[[ $(@) < a ]]",
    "(( $(@) ))",
    "(( a[$(@)] ))",
    ": $(( a[$(@)] ))",
    ": ${a[$(@)]}",
    ": {a,$(@)}",
    "coproc { @; }",
    "time -p @",
    "! ! @",
    "builtin command @",
    "trap '@' DEBUG; :",
    "{ @; } 2>&1 | cat",
    "cat <(@)",
    "cat <<< $(@)",
    "cat <<A <<B\n$(@)\nA\nx\nB\n",
    "cat <<A\n${x:-$(@)}\nA\n",
    "cat - <<A\n@\nA\n",
    "printf '%s' \"$(@)\"",
    "printf -v 'a[$(@)]' x",
    "let 'a[$(@)]=1'",
    "test -v 'a[$(@)]'",
    "x=$(@) :",
    "export X=$(@) Y",
    "typeset z=`@`",
    "exit $(@)",
    "if ! @; then :; fi",
    "select x in 1; do @; break; done <<< 1",
];

/// The programs, in addition to the marker, that scripts can run: those that run others, and one that reads.
const TOOLS: &[&str] =
    &["env", "xargs", "find", "nohup", "nice", "setsid", "stdbuf", "timeout", "sh", "bash", "cat"];

/// Characters that end or begin something for a shell.
const SIGNS: &[u8] = b"'\"`$(){}[]<>|&;#\\ \n*?!=~-:@";

/// A small generator of pseudo-random numbers: the same seed yields the same scripts.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next(of.len())]
    }

    /// Nests values around the marker, puts them into a command, and damages one script in three.
    fn script(&mut self) -> String {
        let mut text = if self.next(2) == 0 { MARKER.to_owned() } else { format!("{MARKER} 1") };
        for _ in 0..self.next(4) {
            text = self.one(VALUES).replace('@', &text);
        }
        for _ in 0..=self.next(2) {
            text = self.one(COMMANDS).replace('@', &text);
        }
        if self.next(3) == 0 {
            for _ in 0..=self.next(2) {
                text = self.damaged(text);
            }
        }
        text
    }

    fn damaged(&mut self, text: String) -> String {
        let mut bytes = text.into_bytes();
        let at = self.next(bytes.len());
        let sign = SIGNS[self.next(SIGNS.len())];
        match self.next(3) {
            0 => bytes.insert(at, sign),
            1 => bytes[at] = sign,
            _ => drop(bytes.remove(at)),
        }
        if bytes.is_empty() {
            bytes.push(b':');
        }
        String::from_utf8(bytes).unwrap()
    }
}

/// First words of commands that need approval, whatever follows: no rule allows them. The reader takes a reserved word for a program in
/// places where the grammar expects none.
const JUDGED: [&str; 11] =
    ["source", ".", "coproc", "alias", "function", "until", "while", "for", "if", "case", "select"];
/// Shells that read their commands from a file or their input: no rule allows them then.
const SHELLS: [&str; 2] = ["sh", "bash"];

/// Returns whether the reader found a call of the marker or of a program that no rule allows, or is unsure what runs.
fn is_seen(script: &Script) -> bool {
    let is_judged = |known: &str| known.contains(MARKER) || JUDGED.contains(&known);
    let program = |word: &Word| word.known().is_none_or(is_judged);
    let is_shell = |segment: &Segment| {
        segment.role == Role::Program && segment.program_name().is_some_and(|name| SHELLS.contains(&name))
    };
    script.segments.iter().any(|segment| {
        segment.words.first().is_some_and(program)
            || is_shell(segment)
            || segment.effects.iter().any(|effect| matches!(effect, Effect::More { .. }))
    }) || !script.unsure.is_empty()
}

/// Runs scripts with a real bash in the sandbox, and returns the numbers of those in which the marker ran.
fn run(scripts: &[String]) -> BTreeSet<usize> {
    let own = std::env::current_exe().unwrap();
    let confined: PathBuf = own.parent().unwrap().parent().unwrap().join("examples/confined");
    inner_step_of(&confined);
    let base = tempfile::Builder::new().prefix("spellings").tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let at = |name: &str| base.path().join(name);
    for folder in ["bin", "scripts", "work"] {
        fs::create_dir(at(folder)).unwrap();
    }
    let marker = at("bin").join(MARKER);
    fs::write(&marker, "#!/bin/sh\n: > \"$RAN\"\n").unwrap();
    fs::set_permissions(&marker, fs::Permissions::from_mode(0o755)).unwrap();
    for tool in TOOLS {
        let found = ["/usr/bin", "/bin"].map(|folder| PathBuf::from(folder).join(tool));
        if let Some(found) = found.iter().find(|path| path.exists()) {
            std::os::unix::fs::symlink(found, at("bin").join(tool)).unwrap();
        }
    }
    for (number, script) in scripts.iter().enumerate() {
        fs::write(at("scripts").join(number.to_string()), script).unwrap();
    }
    fs::write(at("scripts/all"), ALL).unwrap();
    let mut plan = Plan::new([base.path().to_owned()]);
    plan.readable = vec![confined];
    let mut launch = Launch::new(Program::line(format!("bash scripts/all {}", scripts.len())), base.path());
    launch.sandbox = Sandbox::On(plan);
    let world = World::new();
    let job = world.start(&launch);
    world.wait(&job, Until::Ended);
    let ran = fs::read_dir(at("work"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_prefix("ran-")?.parse().ok());
    ran.collect()
}

/// Runs each script in an empty directory, with nothing but the marker and `TOOLS` in `PATH`.
const ALL: &str = "base=$PWD; timeout=$(command -v timeout); bash=$(command -v bash); env=$(command -v env); rm=$(command -v rm)
for ((i = 0; i < $1; i++)); do
  mkdir -p \"$base/work/$i\" && cd \"$base/work/$i\" || exit 1
  \"$env\" -i PATH=\"$base/bin\" RAN=\"$base/work/ran-$i\" \"$timeout\" -k 1 2 \"$bash\" --noprofile --norc \"$base/scripts/$i\" \\
    < /dev/null > /dev/null 2>&1
  cd \"$base\"; \"$rm\" -rf \"$base/work/$i\"
done
";

#[test]
fn a_shell_runs_nothing_that_the_reader_does_not_see() {
    if available().failed.len() == 3 {
        return common::skipped("no sandbox works here");
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let mut random = Random(number("PROPTEST_RNG_SEED").unwrap_or(20_261_124) | 1);
    let count = number("TOOLPOST_SPELLINGS").unwrap_or(COUNT);
    let rows = include_str!("spellings.txt").split("\n--\n").map(|row| row.trim_end_matches('\n').to_owned());
    let mut scripts: Vec<String> = rows.collect();
    let known = scripts.len();
    scripts.extend((0..count).map(|_| random.script()));
    let ran = run(&scripts);
    let missed: Vec<&String> =
        ran.iter().map(|number| &scripts[*number]).filter(|script| !is_seen(&read(script))).collect();
    assert!(missed.is_empty(), "{} of {}: {missed:#?}", missed.len(), scripts.len());
    // The scripts do run, and the reader does not doubt all of them.
    assert!(
        ran.range(..known).count() >= known / 2,
        "{} of the {known} rows ran",
        ran.range(..known).count()
    );
    assert!(ran.len() > scripts.len() / 20, "{} of {} ran", ran.len(), scripts.len());
    let sure = ran.iter().filter(|number| read(&scripts[**number]).unsure.is_empty()).count();
    assert!(sure > ran.len() / 10, "{sure} of {} are sure", ran.len());
}
