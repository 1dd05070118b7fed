//! Tests of effective POMs, whose POM files are in memory.

use super::{
    Coordinates, Directness, Parent, Path, PathBuf, Pom, PomSource, Rc, gradle, plain_path,
    pom::{self, Requirements},
};
use std::collections::HashMap;

/// POM files in memory, by coordinates and by path.
#[derive(Default)]
struct PomMap {
    stored: HashMap<String, Rc<Pom>>,
    beside: HashMap<&'static str, Rc<Pom>>,
}

impl PomSource for PomMap {
    fn parent(&self, at: Option<&Path>, parent: &Parent) -> Option<(Rc<Pom>, Option<PathBuf>)> {
        let file = at.and_then(|at| plain_path(&at.parent()?.join(&parent.beside)));
        let beside = file.and_then(|file| Some((self.beside.get(file.to_str()?)?.clone(), Some(file))));
        let beside = beside.filter(|(pom, _)| pom.is(&parent.at));
        beside.or_else(|| Some((self.stored(&parent.at)?, None)))
    }

    fn stored(&self, at: &Coordinates) -> Option<Rc<Pom>> {
        self.stored.get(&at.shown()).cloned()
    }
}

fn read(text: &str) -> Rc<Pom> {
    Rc::new(Pom::read(&format!("<project>{text}</project>")).unwrap())
}

fn at(coordinates: &str) -> String {
    let parts: Vec<&str> = coordinates.split(':').collect();
    let names = ["groupId", "artifactId", "version"];
    names.iter().zip(parts).map(|(name, part)| format!("<{name}>{part}</{name}>")).collect()
}

fn needs(all: &[&str]) -> String {
    let all: String = all.iter().map(|one| format!("<dependency>{}</dependency>", at(one))).collect();
    format!("<dependencies>{all}</dependencies>")
}

fn manages(all: &[&str], lists: &[&str]) -> String {
    let list =
        |one: &&str| format!("<dependency>{}<type>pom</type><scope>import</scope></dependency>", at(one));
    let lists: String = lists.iter().map(list).collect();
    format!(
        "<dependencyManagement>{}</dependencyManagement>",
        needs(all).replace("</dependencies>", &format!("{lists}</dependencies>"))
    )
}

/// Returns the POMs for the tests: a grandparent that imports a BOM, and a parent in the project.
fn shelf() -> PomMap {
    let list = format!(
        "<properties><l>3.3</l></properties>{}{}",
        at("org.bom:list:3"),
        manages(&["a:listed:${l}", "a:both:9", "a:own:9"], &[])
    );
    let far = format!(
        "{}<properties><far>1.1</far><over>old</over><l>wrong</l></properties>{}{}",
        at("org:far:1"),
        manages(&["a:far:${far}", "a:over:${over}", "a:mine:${project.version}"], &["org.bom:list:3"]),
        needs(&["a:inherited:7"]),
    );
    let near = format!(
        "<parent>{}<relativePath/></parent><artifactId>near</artifactId>{}",
        at("org:far:1"),
        manages(&["a:both:2"], &[])
    );
    let stored = [("org:far:1", far), ("org.bom:list:3", list)];
    PomMap {
        stored: stored.into_iter().map(|(name, text)| (name.to_owned(), read(&text))).collect(),
        beside: HashMap::from([("/w/pom.xml", read(&near))]),
    }
}

/// Returns the name, the dependencies and the missing POMs of a project with the POM `text`.
fn effective(text: &str) -> (String, String, String) {
    let Requirements { own, artifacts, missing } =
        pom::effective(&read(text), Some(Path::new("/w/app/pom.xml")), &shelf());
    let artifacts = artifacts.iter().map(|(name, version)| format!("{name}={version}"));
    (own, artifacts.collect::<Vec<_>>().join(" "), missing.join(" "))
}

fn child(coordinates: &str) -> String {
    format!("<parent>{}</parent><artifactId>app</artifactId>", at(coordinates))
}

#[test]
fn versions_come_from_parents_boms_and_properties() {
    let all = [
        "a:far",
        "a:over",
        "a:listed",
        "a:both",
        "a:own:[1.5]",
        "a:mine",
        "a:none",
        "${project.groupId}:mod:${project.version}",
    ];
    let text = format!(
        "{}<version>5</version><properties><over>new</over></properties>{}",
        child("org:near:1"),
        needs(&all)
    );
    let wanted =
        "a:far=1.1 a:over=new a:listed=3.3 a:both=2 a:own=1.5 a:mine=5 a:none= org:mod=5 a:inherited=7";
    assert_eq!(effective(&text), ("org:app".to_owned(), wanted.to_owned(), String::new()));
}

#[test]
fn missing_poms_are_named_and_leave_versions_unknown() {
    let rows = [
        // The parent in the project has another version than requested, and the repository has no parent.
        (
            format!("{}{}", child("org:near:2"), needs(&["a:far", "a:x:1"])),
            ("org:app", "a:far= a:x=1", "org:near:2"),
        ),
        // Artifacts that are only managed are not dependencies. A missing BOM is reported.
        (
            format!("{}{}{}", at("g:a:1"), manages(&["a:far:1"], &["no:list:1"]), needs(&["a:x"])),
            ("g:a", "a:x=", "no:list:1"),
        ),
        // Properties that refer to each other have no value.
        (
            format!(
                "{}<properties><p>${{q}}</p><q>${{p}}</q></properties>{}",
                at("g:a:1"),
                needs(&["a:x:${p}"])
            ),
            ("g:a", "a:x=", ""),
        ),
    ];
    for (text, (own, artifacts, missing)) in rows {
        assert_eq!(effective(&text), (own.to_owned(), artifacts.to_owned(), missing.to_owned()), "{text}");
    }
}

#[test]
fn only_the_profile_active_by_default_applies() {
    let usual = format!(
        "<profile><activation><activeByDefault>true</activeByDefault></activation><properties><p>2</p></properties>{}</profile>",
        needs(&["a:y:${p}"])
    );
    let text = format!(
        "{}<properties><p>1</p></properties>{}<profiles>{usual}<profile>{}</profile></profiles>",
        at("g:a:1"),
        needs(&["a:x:${p}"]),
        needs(&["a:z:1"])
    );
    assert_eq!(effective(&text), ("g:a".to_owned(), "a:y=2 a:x=2".to_owned(), String::new()));
}

#[test]
fn cyclic_parents_terminate() {
    let one = read(&format!("<parent>{}</parent>{}", at("g:two:1"), at("g:one:1")));
    let two = read(&format!(
        "<parent>{}</parent>{}{}",
        at("g:one:1"),
        at("g:two:1"),
        manages(&["a:x:1"], &["g:one:1"])
    ));
    let stored = HashMap::from([("g:one:1".to_owned(), one.clone()), ("g:two:1".to_owned(), two)]);
    let needed = pom::effective(&one, None, &PomMap { stored, ..PomMap::default() });
    assert_eq!((needed.own.as_str(), needed.artifacts), ("g:one", Vec::new()));
}

#[test]
fn a_gradle_lock_file_is_parsed() {
    let text = "# made by Gradle\norg.slf4j:slf4j-api:2.0.1=compileClasspath\nempty=\n";
    assert_eq!(gradle(text), [("org.slf4j:slf4j-api".to_owned(), "2.0.1".to_owned(), Directness::No)]);
}
