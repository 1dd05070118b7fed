//! Tests of skills on the disk: locations, invalid files, precedence and trust.

use crate::common;
use toolpost_test_rows::{each, each_async};

use common::World;
use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    sync::Arc,
};
use toolpost_engine::{
    CallCtx, Engine, FoundSkills, Fresh, Kind, MayRead, SkillPlaces,
    operations::{
        skill::{self, Skill},
        skills::{self, Skills},
    },
};

/// A skill of the project, and its text.
const FILE: &str = ".claude/skills/a/SKILL.md";
const TEXT: &str = "---\nname: a\ndescription: D.\n---\nB\n";

fn skill(fields: &str, body: &str) -> String {
    format!("---\n{fields}\n---\n{body}\n")
}

/// Creates an engine for a user who trusts the skill locations and contents that `trusts` accepts.
fn engine(world: &World, trusts: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Engine {
    let user = vec![world.base.path().join("home/skills"), world.base.path().join("nowhere")];
    let skills = SkillPlaces { user, trusted: Arc::new(trusts) };
    Engine::builder(world.engine.workspace().clone()).with_skills(skills).build()
}

fn find(engine: &Engine) -> FoundSkills {
    let may: MayRead = Arc::new(|_| true);
    engine.skills(&may)
}

fn user(world: &World, name: &str, text: &str) {
    let folder = world.base.path().join("home/skills").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

/// Returns the lines, with the temporary paths removed.
fn without_temporary_paths(world: &World, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let base = world.base.path().canonicalize().unwrap().display().to_string();
    lines.into_iter().map(|line| line.replace(&format!("{base}/"), "")).collect()
}

#[test]
fn skill_file_problems_are_reported() {
    let good = "name: a\ndescription: D.";
    let rows: [(&str, String, &str, &[&str]); 10] = [
        ("a", skill(good, "B"), "a: D.", &[]),
        (
            "a",
            skill("name: a\ndescription: Use: it", "B"),
            "a: Use: it",
            &["line 3 is not YAML: mapping values are not allowed in this context; the values were \
                 read as plain text: put quotes around them"],
        ),
        ("a", skill("name: a\ndescription: >\n  Two\n  lines", "B"), "a: Two lines", &[]),
        ("b", skill(good, "B"), "a: D.", &["the name a differs from the name of its directory, b"]),
        (
            "b",
            skill("description: D.", "B"),
            "b: D.",
            &["the skill has no name; the name of its directory is used"],
        ),
        (
            "A b",
            skill("name: A b\ndescription: D.", "B"),
            "A b: D.",
            &["the name \"A b\" should have 1 to 64 letters a-z, digits and single hyphens between them"],
        ),
        (
            "a",
            skill("name: a", "B"),
            "",
            &["the skill was skipped, because it has no description by which a model could choose it"],
        ),
        (
            "a",
            "Just words.\n".to_owned(),
            "",
            &[
                "the skill was skipped, because the file does not begin with `---`, fields such as `name: value`, and `---`",
            ],
        ),
        (
            "a",
            "---\nname: a\n".to_owned(),
            "",
            &["the skill was skipped, because the fields that begin in line 1 have no closing `---`"],
        ),
        ("a", skill("name: a\ndescription: [D", "B"), "", &["the skill was skipped, because line"]),
    ];
    each(rows, |(folder, text, wanted, problems)| {
        let world = World::new(&[]);
        world.put(&format!(".claude/skills/{folder}/SKILL.md"), &text);
        let found = find(&engine(&world, |_, _| true));
        let listed: Vec<String> =
            found.skills.iter().map(|skill| format!("{}: {}", skill.name, skill.description)).collect();
        assert_eq!(listed.join("|"), wanted, "{text}");
        let place = format!("ws/.claude/skills/{folder}/SKILL.md: ");
        let odd = without_temporary_paths(&world, found.problems);
        assert_eq!(odd.len(), problems.len(), "{odd:?}");
        for (odd, problem) in odd.iter().zip(problems) {
            assert!(odd.starts_with(&format!("{place}{problem}")), "{odd}");
        }
    });
}

#[test]
fn skills_are_found_in_all_folders_and_the_first_one_wins() {
    let world = World::new(&[]);
    let places = [
        ".toolpost/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
        ".gemini/skills",
        "skills",
        ".skills",
    ];
    for (number, place) in places.iter().enumerate() {
        world.put(
            &format!("{place}/s{number}/SKILL.md"),
            skill(&format!("name: s{number}\ndescription: D."), "B"),
        );
        world.put(
            &format!("{place}/all/SKILL.md"),
            skill(&format!("name: all\ndescription: From {place}."), "B"),
        );
    }
    // Skills in subdirectories are found, except inside another skill, in a dependency directory, or outside
    // the skill directories.
    for place in [".claude/skills/group/deep", ".claude/skills/s2/inner", "skills/node_modules/x", "other/y"]
    {
        let name = place.rsplit('/').next().unwrap();
        world.put(&format!("{place}/SKILL.md"), skill(&format!("name: {name}\ndescription: D."), "B"));
    }
    user(&world, "all", &skill("name: all\ndescription: The user's.", "B"));
    user(&world, "own", &skill("name: own\ndescription: The user's.", "B"));
    let found = find(&engine(&world, |_, _| true));
    let names: Vec<&str> = found.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["all", "deep", "own", "s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    assert_eq!(found.skills[0].description, "From .toolpost/skills.");
    let hidden = found.shadowed.iter().map(|(name, hidden, used)| format!("{name}: {hidden} by {used}"));
    let used = "by ws/.toolpost/skills/all/SKILL.md";
    let mut wanted: Vec<String> =
        places[1..].iter().map(|place| format!("all: ws/{place}/all/SKILL.md {used}")).collect();
    wanted.push(format!("all: home/skills/all/SKILL.md {used}"));
    assert_eq!(without_temporary_paths(&world, hidden), wanted);
}

#[test]
fn skill_links_to_targets_outside_the_skill_are_rejected() {
    let world = World::new(&[(".agents/skills/real/SKILL.md", "---\nname: real\ndescription: D.\n---\nB\n")]);
    let out = world.base.path().join("out");
    fs::create_dir(out.join("s")).unwrap();
    fs::write(out.join("s/SKILL.md"), skill("name: s\ndescription: D.", "B")).unwrap();
    let link = |to: &Path, from: &str| {
        fs::create_dir_all(world.at(from).parent().unwrap()).unwrap();
        symlink(to, world.at(from)).unwrap();
    };
    link(&out.join("s"), ".claude/skills/s");
    link(&out.join("s/SKILL.md"), ".claude/skills/t/SKILL.md");
    link(&world.at(".agents/skills/real/SKILL.md"), ".claude/skills/u/SKILL.md");
    // A symlink to a directory in the project leads to the same skill, which is listed once.
    link(&world.at(".agents/skills/real"), ".claude/skills/real");
    let found = find(&engine(&world, |_, _| true));
    let names: Vec<&str> = found.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!((names, found.shadowed.len()), (vec!["real"], 0), "{:?}", found.problems);
    assert_eq!(found.problems.len(), 3, "{:?}", found.problems);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.ends_with("the file is a link to a target outside the skill's directory"))
    );
}

#[tokio::test]
async fn untrusted_project_skills_are_not_used() {
    let world = World::new(&[
        (".claude/skills/a/SKILL.md", "---\nname: a\ndescription: D.\n---\nB\n"),
        (".claude/skills/a/scripts/run.sh", "echo 1\n"),
    ]);
    user(&world, "a", &skill("name: a\ndescription: The user's.", "Mine"));
    let cx = world.cx(Fresh::NOT_ASKED);
    let content = find(&engine(&world, |_, _| true)).skills[0].content().unwrap().to_owned();
    let trusted = engine(&world, move |_, now| now == content);
    let using = async |engine: &Engine, cx: &CallCtx| {
        let request = skill::Request { name: "a".to_owned(), ..skill::Request::default() };
        engine.run::<Skill>(request, cx).await.map(|output| output.instructions)
    };
    assert_eq!(using(&trusted, &cx).await.unwrap().as_deref(), Some("B"));
    // Another file in the skill's directory has changed, so the skill is no longer trusted. The skill of
    // the same name that it hid is used again.
    world.put(".claude/skills/a/scripts/run.sh", "echo 2\n");
    assert_eq!(using(&trusted, &cx).await.unwrap().as_deref(), Some("Mine"));
    let listed = trusted.run::<Skills>(skills::Request::default(), &cx).await.unwrap();
    assert_eq!(without_temporary_paths(&world, listed.untrusted), ["ws/.claude/skills/a/SKILL.md"]);
    fs::remove_dir_all(world.base.path().join("home")).unwrap();
    let failure = using(&trusted, &cx).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Denied);
    assert!(
        failure.what.starts_with("The skill a comes with the project, and the user has not trusted it: ")
    );
}

#[test]
fn trusted_content_covers_every_file_of_a_skill() {
    let rows = [
        ("run.sh", 0),
        ("data.bin", 2 * 1024 * 1024),
        ("node_modules/kit/index.js", 0),
        (".git/hooks/pre-commit", 0),
        ("a/b/c/d/e/f/run.sh", 0),
        ("a/b/c/d/e/f/g/h/i/j/run.sh", 0),
    ];
    each(rows, |(name, size)| {
        let world = World::new(&[(FILE, TEXT)]);
        let content = |last: &str| {
            world.put(&format!(".claude/skills/a/{name}"), "x".repeat(size) + last);
            find(&engine(&world, |_, _| true)).skills[0].content().unwrap().to_owned()
        };
        assert!(content("1") != content("2"), "{name} can change without ending the trust");
    });
}

#[tokio::test]
async fn skills_with_unverifiable_files_cannot_be_trusted() {
    let outside = "run.sh is a link to a target outside the skill's directory";
    let rows = [
        ("link to the project", outside),
        ("link out of the root", outside),
        ("large file", "the files of the project's skills have more than 64 MiB together"),
        ("socket", "run.sh is a socket"),
    ];
    each_async(rows, async |(kind, why)| {
        let world = World::new(&[(FILE, TEXT)]);
        let file = world.at(".claude/skills/a/run.sh");
        match kind {
            "link to the project" => symlink("../../../run.sh", &file).unwrap(),
            "link out of the root" => symlink(world.base.path().join("out/secret"), &file).unwrap(),
            "large file" => fs::File::create(&file).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap(),
            _ => drop(UnixListener::bind(&file).unwrap()),
        }
        let engine = engine(&world, |_, _| true);
        let found = find(&engine);
        assert!(found.skills.is_empty() && found.untrusted[0].content().is_err(), "{kind}");
        let problem = &found.problems[0];
        assert!(
            problem.contains("the skill cannot be trusted, because ") && problem.contains(why),
            "{problem}"
        );
        let cx = world.cx(Fresh::NOT_ASKED);
        let listed = engine.run::<Skills>(skills::Request::default(), &cx).await.unwrap();
        assert!(listed.untrusted.is_empty() && listed.problems == found.problems, "{listed:?}");
        let request = skill::Request { name: "a".to_owned(), ..skill::Request::default() };
        let failure = engine.run::<Skill>(request, &cx).await.unwrap_err();
        assert!(
            failure.kind == Kind::Denied && failure.what.contains("cannot be trusted"),
            "{}",
            failure.what
        );
    })
    .await;
}

/// Every call for a skill reads the directories of all skills, so one limit applies to all.
#[test]
fn the_size_limit_applies_to_all_skills_together() {
    let other = TEXT.replace("name: a", "name: b");
    let world = World::new(&[(FILE, TEXT), (".claude/skills/b/SKILL.md", other.as_str())]);
    for name in ["a", "b"] {
        let file = world.at(&format!(".claude/skills/{name}/data"));
        fs::File::create(file).unwrap().set_len(40 * 1024 * 1024).unwrap();
    }
    let found = find(&engine(&world, |_, _| true));
    let contents: Vec<_> = found.untrusted.iter().map(toolpost_engine::Skill::content).collect();
    assert_eq!(contents, [Err("the files of the project's skills have more than 64 MiB together")]);
    assert_eq!(found.skills.len(), 1);
}

#[tokio::test]
async fn a_cancelled_search_for_skills_stops() {
    let world = World::new(&[(FILE, TEXT), (".claude/skills/b/SKILL.md", TEXT)]);
    let cx = world.cx(Fresh::NOT_ASKED);
    let cancel = cx.cancel.clone();
    let engine = engine(&world, move |_, _| {
        cancel.cancel();
        true
    });
    let failure = engine.run::<Skills>(skills::Request::default(), &cx).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Cancelled);
}

#[tokio::test]
async fn skill_instructions_are_returned_once_and_only_if_allowed() {
    let world = World::new(&[]);
    user(&world, "a", &skill("name: a\ndescription: Does A.", "Do $ARGUMENTS."));
    user(&world, "b", &skill("name: b\ndescription: Does B.\ndisable-model-invocation: true", "B"));
    let engine = engine(&world, |_, _| false);
    let cx = world.cx(Fresh::NOT_ASKED);
    let using = async |name: &str, input: &str| {
        let request =
            skill::Request { name: name.to_owned(), input: Some(input.to_owned()), parts: Vec::new() };
        engine.run::<Skill>(request, &cx).await.map(|output| output.instructions)
    };
    each_async(
        [("x", Some("Do x.")), ("x", None), ("y", Some("Do y.")), ("y", None)],
        async |(input, wanted)| {
            assert_eq!(using("a", input).await.unwrap().as_deref(), wanted);
        },
    )
    .await;
    // The content of the skill has changed, so its instructions are returned again.
    user(&world, "a", &skill("name: a\ndescription: Does A.", "Now do $ARGUMENTS."));
    assert_eq!(using("a", "y").await.unwrap().as_deref(), Some("Now do y."));
    assert_eq!(using("b", "x").await.unwrap_err().kind, Kind::Denied);
    let failure = using("c", "x").await.unwrap_err();
    assert_eq!((failure.kind, failure.found.as_deref()), (Kind::NotFound, Some("Available skills: a.")));
    for (filter, wanted) in [(None, vec!["a"]), (Some("DOES a"), vec!["a"]), (Some("none"), vec![])] {
        let request = skills::Request { filter: filter.map(str::to_owned) };
        let output = engine.run::<Skills>(request, &cx).await.unwrap();
        let names: Vec<&str> = output.skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!((names, output.all), (wanted, 1));
    }
}
