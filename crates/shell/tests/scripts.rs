//! Tests of the analysis of shell scripts (commands, effects, unknown parts), which accepts any input.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use toolpost_shell::{Certainty, Effect, Places, Role, Script, Word, read, read_words};
use toolpost_test_rows::each;

/// Describes a script: a line for each segment, then the uncertain parts. A sign before a word is its effect, such
/// as `<` for a read.
fn described(script: &Script) -> Vec<String> {
    let word = |word: &Word| match word.sure {
        Certainty::All => word.start.clone(),
        Certainty::Start => format!("{}…", word.start),
        Certainty::Nothing => "…".to_owned(),
    };
    let effect = |effect: &Effect| match effect {
        Effect::Reads(file) => format!("<{}", word(file)),
        Effect::Names(file) => format!("?{}", word(file)),
        Effect::Writes(file) => format!(">{}", word(file)),
        Effect::MayWrite(file) => format!("%{}", word(file)),
        Effect::Searches(search) => {
            let signs = [(search.hidden, "."), (search.ignored, "~")];
            let signs: String = signs.iter().filter(|(on, _)| *on).map(|(_, sign)| *sign).collect();
            let names: String = search.names.iter().map(|name| format!(" +{name}")).collect();
            let except: String = search.except.iter().map(|name| format!(" -{name}")).collect();
            format!("({signs}{}{names}{except})", word(&search.start))
        }
        Effect::Prints(contents) => {
            let words = |words: &[Word]| words.iter().map(word).collect::<Vec<_>>().join(" ");
            format!("[{} -- {}]", words(&contents.either), words(&contents.paths))
        }
        Effect::Fetches(address) => format!("@{}", word(address)),
        Effect::Tests(path) => format!("?{}", word(path)),
        Effect::More { word, .. } => format!("!{word}"),
    };
    let mut lines: Vec<String> = script
        .segments
        .iter()
        .map(|segment| {
            let words = segment.words.iter().map(word);
            let role = match segment.role {
                Role::Program => "",
                Role::Wrapper => "wrapper: ",
                Role::Function => "function: ",
                Role::Nothing => "nothing ",
            };
            let all: Vec<String> = words.chain(segment.effects.iter().map(effect)).collect();
            format!("{role}{}", all.join(" "))
        })
        .collect();
    lines.extend(script.unsure.iter().map(|piece| format!("unsure: {}", piece.text)));
    lines
}

/// Compares all rows, and reports all differences together.
fn check(rows: &[(&str, &[&str])]) {
    let differ = rows.iter().map(|(text, wanted)| {
        (*text, described(&read(text)), wanted.iter().map(|line| (*line).to_owned()).collect())
    });
    let differ: Vec<(&str, Vec<String>, Vec<String>)> =
        differ.filter(|(_, found, wanted)| found != wanted).collect();
    assert_eq!(differ, []);
}

#[test]
fn a_leading_cd_chain_excludes_the_start_directory() {
    let known: [(&str, &[&str]); 12] = [
        ("ls", &[""]),
        ("cd a && ls", &["a"]),
        ("cd a && ls | wc && rm x", &["a"]),
        ("cd a && ls || rm x", &["", "a"]),
        ("cd a; ls", &["", "a"]),
        ("cd a\nls", &["", "a"]),
        ("cd a & ls", &["", "a"]),
        ("cd a > x && ls", &["", "a"]),
        ("X=1 cd a && ls", &["", "a"]),
        ("(cd a) && ls", &["", "a"]),
        ("true && cd a && ls", &["", "a"]),
        ("cd a && cd b && ls", &["", "a", "a/b", "b"]),
    ];
    each(known, |(text, places)| {
        let places = places.iter().map(|place| (*place).to_owned()).collect();
        assert_eq!(read(text).places, Places::Known(places), "{text}");
    });
    assert_eq!(read("cd $X && ls").places, Places::Unknown);
}

#[test]
fn commands_are_found_in_all_shell_constructs() {
    let rows: &[(&str, &[&str])] = &[
        ("echo a; b && c || d | e & f", &["echo a", "b", "c", "d", "e", "f"]),
        ("echo \"$(a)\" `b` <(c)", &["a", "b", "c", "echo … … /dev/fd/…"]),
        ("\"r\"\"m\" 'a b' c\\ d", &["rm a b c d >a b >c d"]),
        ("$X a; ${Y}z", &["… a ?a", "…"]),
        ("x{rm,-rf} a{}b {a..b}", &["… a{}b … ?a{}b ?…"]),
        ("'r'\\m 'd/'\\b", &["rm d/b >d/b"]),
        ("x {a},b} {},b}", &["x … {},b} ?… ?{},b}"]),
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        (
            "for i in $(a); do b; done; while c; do d; done; case $x in p) e;; esac",
            &["nothing ", "a", "b", "c", "d", "e"],
        ),
        ("(a; b); { c; }; ! d; [[ -f $(e) ]]", &["a", "b", "c", "d", "e", "nothing "]),
        ("f() { a; }; f", &["a", "function: f"]),
        ("f; f() { a; }", &["f", "a"]),
        ("if x; then ls() { a; }; fi; ls", &["x", "a", "ls"]),
        ("ls() { a; } & ls", &["a", "ls"]),
        ("cat <<X\n$(a)\nX\nb", &["a", "cat", "b"]),
        ("cat <<'X'\n$(a)\nX\nb", &["cat", "b"]),
        ("cat <<X && a\nt\nX", &["a", "cat"]),
        ("python3 - <<'X'\nt\nX\n", &["python3 - ?-"]),
        ("python3 -u - <<'X'\nt\nX\n", &["python3 -u - ?-"]),
        ("cat <<< \"$(a)\"", &["a", "cat"]),
        ("A=$(a) b; C=$(d); export E=$(f)", &["a", "b !A=", "d", "nothing ", "f", "export =… !E="]),
        ("echo ${x:-$(a)} $((1 + 2))", &["a", "echo … …"]),
        ("echo a # ; b", &["echo a"]),
        ("echo > f rm -rf x", &["echo rm -rf x >f"]),
        ("> f", &["nothing >f"]),
        ("a 2>&1 >b 2>/dev/null <c &>d", &["a >b >/dev/null <c >d"]),
        ("{ a; } > b", &["a", "nothing >b"]),
        ("time a | xargs -n1 b", &["wrapper: time a", "a", "wrapper: xargs -n1 b", "b … ?…"]),
        (
            "env X=1 nice -n 5 timeout -k 1 5 a b",
            &[
                "wrapper: env X=1 nice -n 5 timeout -k 1 5 a b !X=",
                "wrapper: nice -n 5 timeout -k 1 5 a b",
                "wrapper: timeout -k 1 5 a b",
                "a b ?b",
            ],
        ),
        ("bash -lc 'a; b'", &["wrapper: bash -lc a; b", "a", "b"]),
        ("bash -c \"$X\"", &["wrapper: bash -c … !\"$X\"", "unsure: bash -c \"$X\""]),
        ("bash x.sh", &["bash x.sh <x.sh"]),
        (
            "xargs -I% sh -c 'a %'",
            &["wrapper: xargs -I% sh -c a %", "wrapper: sh -c a …", "unsure: sh -c 'a %'"],
        ),
        ("command -v rm; command rm", &["command -v rm", "wrapper: command rm", "rm"]),
        ("eval 'a b'", &["eval a b", "a b ?b"]),
        ("sudo -u x a", &["sudo -u x a !-u", "a"]),
        ("busybox rm x", &["wrapper: busybox rm x", "rm x >x"]),
    ];
    check(rows);
}

#[test]
fn commands_run_by_find_get_paths_below_its_start() {
    let rows: &[(&str, &[&str])] = &[
        (
            "find . -exec a {} \\; -exec b {} + -delete",
            &["find . -delete (.~.) !-delete <.", "a ./… ?./…", "b ./… ?./…"],
        ),
        ("find / -exec a {} +", &["find / (.~/) </", "a /… ?/…"]),
        ("find -L a/b -exec c {} +", &["find -L a/b (.~a/b) <a/b", "c a/b/… ?a/b/…"]),
        ("find a b -exec c {} +", &["find a b (.~a) (.~b) <a <b", "c … ?…"]),
        ("find $X -exec c {} +", &["find … (.~…) !$X <…", "c … ?…"]),
        ("find . -execdir a {} +", &["find . -execdir (.~.) !-execdir <.", "a ./… ?./…"]),
        ("fd x /a -x b {}", &["fd x /a (/a) </a", "b … ?…"]),
        ("fd x -x b {}", &["fd x (.)", "b ./… ?./…"]),
        ("find . -name '*.rs' -exec cat {} +", &["find . -name *.rs (.~. +*.rs) ?*.rs <.", "cat ./… <./…"]),
        (
            "find . -name a -o -name b -exec cat {} +",
            &["find . -name a -o -name b (.~.) ?a ?b <.", "cat ./… <./…"],
        ),
        ("find . -exec ls {} +", &["find . <.", "ls ./… <./…"]),
        ("fd -H x -x cat", &["fd -H x (..)", "cat"]),
    ];
    check(rows);
}

#[test]
fn a_search_names_the_directories_that_it_reads() {
    let rows: &[(&str, &[&str])] = &[
        ("grep x a", &["grep x a <a"]),
        ("grep -r x", &["grep -r x (.~.)"]),
        ("grep -rn x a b", &["grep -rn x a b <a <b (.~a) (.~b)"]),
        ("grep -d recurse x a", &["grep -d recurse x a ?recurse <a (.~a)"]),
        (
            "grep -re x --include='*.rs' --exclude=.env a",
            &["grep -re x --include=*.rs --exclude=.env a ?x ?*.rs <a (.~a +*.rs -.env)"],
        ),
        ("grep --dereference-rec x a", &["grep --dereference-rec x a <a (.~a)"]),
        ("rg x", &["rg x (.)"]),
        ("rg x a", &["rg x a <a (a)"]),
        ("rg -uu x", &["rg -uu x (.~.)"]),
        ("rg -u x", &["rg -u x (~.)"]),
        ("rg --hidden x", &["rg --hidden x (..)"]),
        ("rg -g .env x", &["rg -g .env x ?.env (.~. +.env)"]),
        ("rg -g '!*.md' x", &["rg -g !*.md x ?!*.md (. -*.md)"]),
        ("rg --type-add e:.env -te x", &["rg --type-add e:.env -te x ?e:.env ?e (.~.)"]),
        // A file that a type selects is read even if it is hidden, but not if it is ignored.
        ("rg -t json x", &["rg -t json x ?json (..)"]),
        ("rg -tsh -g '!*.md' x", &["rg -tsh -g !*.md x ?sh ?!*.md (.. -*.md)"]),
        ("rg -u --type=json x", &["rg -u --type=json x ?json (.~.)"]),
        ("rg -t $TYPE x", &["rg -t … x ?… (.~.)"]),
        ("rg --type json x", &["rg --type json x ?json (..)"]),
        ("rg --type-list", &["rg --type-list"]),
        ("rg -T json x", &["rg -T json x ?json (.)"]),
        ("ag x", &["ag x (.)"]),
        ("ag -t x", &["ag -t x (.~.)"]),
        ("ack x", &["ack x (.~.)"]),
        ("rg --files", &["rg --files"]),
        ("git grep x", &["git grep x (..)"]),
        ("diff -r a b", &["diff -r a b <a <b (.~a) (.~b)"]),
        ("diff a b", &["diff a b <a <b"]),
    ];
    check(rows);
}

#[test]
fn unicode_letters_are_part_of_words() {
    check(&[
        ("echo {1\u{e01c3}} é \"ü\" 'ß' 中; b é > ö", &["echo {1\u{e01c3}} é ü ß 中", "b é >ö ?é"]),
        ("é=1 a; é() { b; }; é", &["é=1 a ?a", "b", "function: é"]),
        ("a \"é$(b)ü\" # ß", &["b", "a é… ?é…"]),
    ]);
}

#[test]
fn arguments_with_extra_effects_are_found_in_any_spelling() {
    let rows = [
        ("git log --output=f", "git log --output=f >f"),
        ("git log --outp f", "git log --outp f !--output ?f"),
        ("git -c a=b log", "git -c a=b log !-c"),
        ("git -C d log", "git -C d log !-C"),
        ("git push origin main -f", "git push origin main -f !-f ?origin ?main"),
        ("git push origin +main", "git push origin +main ?origin ?+main !+main"),
        ("git branch x", "git branch x !x"),
        ("git branch --list x", "git branch --list x ?x"),
        ("rg --pre x y", "rg --pre x y !--pre (.)"),
        ("rg -r -- --pre=x y", "rg -r -- --pre=x y ?-- !--pre (.)"),
        ("sort -uo f a", "sort -uo f a >f <a"),
        ("uniq a b", "uniq a b <a >b"),
        ("tree -o f", "tree -o f >f"),
        ("find . -fprint f", "find . -fprint f >f <."),
        ("sed -n '1,5p;s/a/b/g' f", "sed -n 1,5p;s/a/b/g f <f"),
        ("sed 1e f", "sed 1e f !1e <f"),
        ("sed 's/a/b/w f'", "sed s/a/b/w f !'s/a/b/w f'"),
        ("sed -ne p -i f", "sed -ne p -i f ?p !-i <f"),
        ("awk '{print $1}' f", "awk {print $1} f <f"),
        ("awk 'BEGIN{system(\"a\")}'", "awk BEGIN{system(\"a\")} !'BEGIN{system(\"a\")}'"),
        ("tar -x --to-command=a", "tar -x --to-command=a !--to-command"),
        ("PATH=. ls", "ls !PATH="),
        ("PATH=.", "nothing !PATH="),
        ("export 'PATH=.'", "export PATH=. !PATH="),
        ("export $X", "export … !$X"),
        ("read -r PATH", "read -r PATH !PATH="),
        ("read -r line", "read -r line"),
        ("read -r 'a[$(b)]'", "read -r a[$(b)] !'a[$(b)]'"),
        ("readonly 'a[$(b)]=x'", "readonly a[$(b)]=x !'a[$(b)]=x'"),
        ("local 'a[$(b)]'", "local a[$(b)] !'a[$(b)]'"),
        ("local -i x", "local -i x !-i"),
        ("local x=1 y", "local =… y"),
        ("wait -p 'a[$(b)]'", "wait -p a[$(b)] !-p"),
        ("grep x *.rs", "grep x … <…"),
        ("grep x $Y", "grep x … !$Y <…"),
        ("rg x *.rs", "rg x … !*.rs <… (…)"),
        ("git diff a ../b /c", "git diff a ../b /c ?a ?../b ?/c <../b </c [a ../b /c -- ]"),
        ("git branch -v", "git branch -v"),
        ("git tag -v x", "git tag -v x !-v !x"),
        ("wc --files0-from=/a", "wc --files0-from=/a </a"),
        (
            "awk 'BEGIN{ARGV[1]=\"a\";ARGC=2}{print}'",
            "awk BEGIN{ARGV[1]=\"a\";ARGC=2}{print} !'BEGIN{ARGV[1]=\"a\";ARGC=2}{print}'",
        ),
        ("sed 's/[a]/b/' f", "sed s/[a]/b/ f <f"),
        ("sed 's/[]/]/b/' f", "sed s/[]/]/b/ f !'s/[]/]/b/' <f"),
        ("local x=1", "local =…"),
        ("git config --get user.name", "git config --get user.name ?user.name"),
        ("git config user.name x", "git config user.name x !user.name"),
        ("NO_COLOR=1 LC_ALL=C GIT_PAGER=cat ls", "ls"),
        ("GIT_PAGER=x ls", "ls !GIT_PAGER="),
        ("curl -s https://a.b/c -o f", "curl -s https://a.b/c -o f >f @https://a.b/c"),
    ];
    let rows: Vec<(&str, &[&str])> =
        rows.iter().map(|(text, wanted)| (*text, std::slice::from_ref(wanted))).collect();
    check(&rows);
}

#[test]
#[expect(clippy::too_many_lines, reason = "most lines are rows")]
fn ambiguous_syntax_is_reported_as_unsure() {
    let rows = [
        "echo hi\rtouch x",
        "echo\u{a0}hi",
        "echo a\u{200b}b",
        "echo (",
        "if a; then",
        "echo 'a",
        "a[$(b)]=1",
        "echo $((x))",
        "echo ${!x}",
        "echo ${x@P}",
        "echo ${x:=a}",
        "echo ${x:1}",
        "(( x++ ))",
        "echo $[ x ]",
        "for ((i=0;i<3;i++)); do a; done",
        "cat <<X\na\\\nX\nb",
        "cat <<X\na\n",
        "a <> b",
        "x=>f",
        "a=\\\n b",
        "a\\\nb=  c",
        "[ \nb = x ] && a",
        "[ x> b ]",
        "cat <<-X\n\ta`b`c\n\tX\na",
        "a \"${x:-'b$(c)'}\"",
        "a \"${x:-'}\"; b; a \"'}\"",
        "cat <<X\n${x:-'$(a)'}\nX\n",
        "[[ a =~ (b|c`d`&) ]] && a",
        "[[/a |b == c ]] || d",
        "[/a b ]",
        "a ${x#{b} $>%c} ${y/b/c}",
        "a; x+=<f; b",
        "echo @(a|b)",
        "[[ $x -eq 1 ]]",
        "[[ x -eq 1 ]]",
        "[[ -v x ]]",
        "`a \\`b\\``",
        "f() { f | f & }; f",
        "echo \u{7}",
        "echo {Z..a}`b`c`d`",
        "X='a'\\b c",
        "for x in 'a'\\b; do c; done",
        "export X='a'\\b",
    ];
    each(rows, |text| {
        assert_ne!(read(text).unsure, [], "{text}");
    });
    let certain = [
        "echo 'a\nb'",
        "[[ -f x && $y == z ]]",
        "[[ $# -eq 1 || 2 -lt -3 ]]",
        "cat <<X\na\nX\n",
        "ls -la \\\n  src",
        "echo \"$x\" ${y} ${z:-a}",
        "case x in a) \\b;; esac; (\\c);\\d&\\e|\\f>g 2>&1",
        "echo {a..z} {A..Z} {1..9} {foO..bar}",
    ];
    each(certain, |text| {
        assert_eq!(read(text).unsure, [], "{text}");
    });
}

#[test]
fn arguments_without_a_shell_are_taken_literally() {
    let words = |words: &[&str]| {
        described(&read_words(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()))
    };
    assert_eq!(words(&["printf", "%s|", "a b", "$HOME", "*"]), ["printf %s| a b $HOME *"]);
    assert_eq!(words(&["sh", "-c", "a; b"]), ["wrapper: sh -c a; b", "a", "b"]);
    assert_eq!(words(&["echo", "a;", "rm"]), ["echo a; rm"]);
    assert_eq!(
        words(&["find", "-exec", "a", "{}", "+", "-delete"]),
        ["find -delete (.~.) !-delete", "a ./… ?./…"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/scripts.txt"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_parsed_without_panic(text in "\\PC{0,60}(\n\\PC{0,20}){0,3}") {
        let _ = read(&text);
    }

    #[test]
    fn any_line_of_operators_is_parsed_without_panic(text in "[a-c $'\"`(){}\\[\\]<>|&;#*!=~\n\\\\-]{0,60}") {
        let _ = read(&text);
    }

    /// A quoted word is parsed as one word again.
    #[test]
    fn a_quoted_word_parses_as_the_same_word(text in "[^\\p{C}\\p{Z}]{1,20}") {
        let text = format!("{text}{{a,b}}");
        let line = format!("printf {}", toolpost_shell::quoted(&text));
        let script = read(&line);
        let words: Vec<_> = script.segments.iter().flat_map(|segment| &segment.words).filter_map(Word::known).collect();
        prop_assert_eq!(words, ["printf", text.as_str()]);
    }
}
