//! Effective POMs of Maven projects: a POM combined with its parents, imported BOMs (bills of materials) and
//! properties.

use super::xml::Element;
use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
};
use toolpost_text::duplicates::remove_duplicates;

/// Maximum number of ancestors of a POM, and maximum nesting of properties in values of properties.
const DEPTH: usize = 16;

/// Coordinates of a Maven artifact: group, artifact and version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Coordinates {
    pub(super) group: String,
    pub(super) artifact: String,
    pub(super) version: String,
}

/// A POM as written in its file, without the POMs to which it refers.
#[derive(Debug, Default)]
pub(super) struct Pom {
    own: Option<Coordinates>,
    parent: Option<Parent>,
    properties: HashMap<String, String>,
    managed: Vec<Declaration>,
    needed: Vec<Declaration>,
}

/// A POM's reference to its parent POM.
#[derive(Debug, Clone)]
pub(super) struct Parent {
    pub(super) at: Coordinates,
    /// Relative path of the parent's file; empty if the parent is only in the repository.
    pub(super) beside: String,
}

/// A declared or managed dependency in a POM.
#[derive(Debug, Clone)]
struct Declaration {
    at: Coordinates,
    kind: String,
    classifier: String,
    scope: String,
}

/// The dependencies of a project, from its effective POM.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    /// Name of the project itself, as `group:artifact`.
    pub(super) own: String,
    /// Dependencies, each as `group:artifact` and version; an unknown version is empty.
    pub(super) artifacts: Vec<(String, String)>,
    /// POMs that could not be found, so that some versions are unknown, each as `group:artifact:version`.
    pub(super) missing: Vec<String>,
}

/// Access to the POMs of a project and of a repository; tests implement it in memory.
pub(super) trait PomSource {
    /// Finds the parent of the POM whose file is `at`, in the project or in a repository. For a parent in the project,
    /// also returns the path of its file.
    fn parent(&self, at: Option<&Path>, parent: &Parent) -> Option<(Rc<Pom>, Option<PathBuf>)>;

    /// Finds a POM in a repository by its coordinates.
    fn stored(&self, at: &Coordinates) -> Option<Rc<Pom>>;
}

impl Pom {
    /// Parses a POM; `None` if the text is not a POM.
    pub(super) fn read(text: &str) -> Option<Self> {
        let project = Element::read(text).filter(|element| element.name() == "project")?;
        let parent = project.child("parent").map(|parent| Parent {
            at: coordinates(parent),
            beside: parent.child("relativePath").map_or("../pom.xml", Element::text).to_owned(),
        });
        let mut pom = Self { own: Some(coordinates(&project)), parent, ..Self::default() };
        pom.take(&project);
        let profiles = project.child("profiles").map(Element::children).unwrap_or_default();
        let usual = |profile: &&Element| {
            profile.child("activation").is_some_and(|when| when.text_of("activeByDefault") == "true")
        };
        profiles.iter().filter(usual).for_each(|profile| pom.take(profile));
        Some(pom)
    }

    /// Adds the properties and dependencies of the project element or of an active profile; profiles override earlier
    /// values.
    fn take(&mut self, part: &Element) {
        let properties = part.child("properties").map(Element::children).unwrap_or_default();
        self.properties.extend(properties.iter().map(|one| (one.name().to_owned(), one.text().to_owned())));
        let managed = part.child("dependencyManagement").and_then(|managed| managed.child("dependencies"));
        self.managed.splice(0..0, items(managed));
        self.needed.splice(0..0, items(part.child("dependencies")));
    }

    /// Returns whether the POM has the coordinates `at`. A version that contains properties matches any version.
    pub(super) fn is(&self, at: &Coordinates) -> bool {
        let Some(own) = &self.own else { return false };
        let inherited = self.parent.as_ref().map(|parent| &parent.at);
        let own_or = |text: &str, inherited: Option<&String>| {
            if text.is_empty() { inherited.cloned().unwrap_or_default() } else { text.to_owned() }
        };
        let group = own_or(&own.group, inherited.map(|parent| &parent.group));
        let version = own_or(&own.version, inherited.map(|parent| &parent.version));
        let fits = version == at.version || version.contains("${") || at.version.contains("${");
        own.artifact == at.artifact && group == at.group && fits
    }
}

fn coordinates(element: &Element) -> Coordinates {
    let text = |name: &str| element.text_of(name).to_owned();
    Coordinates { group: text("groupId"), artifact: text("artifactId"), version: text("version") }
}

fn items(list: Option<&Element>) -> Vec<Declaration> {
    let items = list.map(Element::children).unwrap_or_default();
    let item = |element: &Element| Declaration {
        at: coordinates(element),
        kind: element.child("type").map_or("jar", Element::text).to_owned(),
        classifier: element.text_of("classifier").to_owned(),
        scope: element.text_of("scope").to_owned(),
    };
    items.iter().filter(|element| element.name() == "dependency").map(item).collect()
}

/// Returns the dependencies of a project from its effective POM; `at` is the path of the project's POM.
pub(super) fn effective(pom: &Rc<Pom>, at: Option<&Path>, shelf: &dyn PomSource) -> Requirements {
    let whole = EffectivePom::of(pom, at, shelf);
    let versions = whole.versions(shelf, &mut HashSet::new());
    let mut artifacts: Vec<(String, String)> = Vec::new();
    let mut known = HashSet::new();
    for item in whole.line.iter().flat_map(|pom| &pom.needed).filter(|item| item.scope != "system") {
        let key = whole.key(item);
        if !known.insert(key.clone()) || key.0.is_empty() || key.1.is_empty() {
            continue;
        }
        let own = whole.put(&item.at.version).filter(|version| !version.is_empty());
        let version = own.or_else(|| versions.get(&key).cloned()).unwrap_or_default();
        // The version `[1.0]` means exactly 1.0.
        let exact = version.strip_prefix('[').and_then(|version| version.strip_suffix(']'));
        let version = exact.filter(|version| !version.contains(',')).unwrap_or(&version).to_owned();
        artifacts.push((format!("{}:{}", key.0, key.1), version));
    }
    let own = format!("{}:{}", whole.own.group, whole.own.artifact);
    let mut missing = whole.missing.into_inner();
    remove_duplicates(&mut missing);
    Requirements { own, artifacts, missing }
}

/// Identity of a dependency: group, artifact, type and classifier.
type Key = (String, String, String, String);

/// The POM of a project combined with those of all its parents.
struct EffectivePom {
    own: Coordinates,
    /// The POM of the project, of its parent, of the next parent, and so on.
    line: Vec<Rc<Pom>>,
    properties: HashMap<String, String>,
    missing: RefCell<Vec<String>>,
}

impl EffectivePom {
    fn of(pom: &Rc<Pom>, at: Option<&Path>, shelf: &dyn PomSource) -> Self {
        let (mut line, mut missing) = (vec![pom.clone()], Vec::new());
        let mut place = at.map(Path::to_owned);
        while let Some(parent) = line.last().and_then(|pom| pom.parent.clone()) {
            if line.len() > DEPTH {
                break;
            }
            let Some((above, at)) = shelf.parent(place.as_deref(), &parent) else {
                missing.push(parent.at.shown());
                break;
            };
            line.push(above);
            place = at;
        }
        let mut properties = HashMap::new();
        for pom in line.iter().rev() {
            properties.extend(pom.properties.clone());
        }
        let parent = pom.parent.as_ref().map(|parent| &parent.at);
        let own = pom.own.clone().unwrap_or_else(Coordinates::none);
        let or = |text: String, above: Option<&String>| {
            if text.is_empty() { above.cloned().unwrap_or_default() } else { text }
        };
        let mut whole = Self {
            own: Coordinates {
                group: or(own.group, parent.map(|parent| &parent.group)),
                version: or(own.version, parent.map(|parent| &parent.version)),
                artifact: own.artifact,
            },
            line,
            properties,
            missing: RefCell::new(missing),
        };
        let put = |text: &str| whole.put(text).unwrap_or_else(|| text.to_owned());
        let own = Coordinates {
            group: put(&whole.own.group),
            artifact: put(&whole.own.artifact),
            version: put(&whole.own.version),
        };
        whole.own = own;
        whole
    }

    /// Returns the versions that `dependencyManagement` sets. Those in the project and its parents override those of
    /// imported BOMs; each BOM is read once.
    fn versions(&self, shelf: &dyn PomSource, read: &mut HashSet<Coordinates>) -> HashMap<Key, String> {
        let mut out = HashMap::new();
        let (lists, items): (Vec<&Declaration>, Vec<&Declaration>) = self
            .line
            .iter()
            .flat_map(|pom| &pom.managed)
            .partition(|item| item.scope == "import" && item.kind == "pom");
        for item in items {
            if let Some(version) = self.put(&item.at.version).filter(|version| !version.is_empty()) {
                out.entry(self.key(item)).or_insert(version);
            }
        }
        for item in lists {
            let (group, artifact, ..) = self.key(item);
            let version = self.put(&item.at.version).unwrap_or_else(|| item.at.version.clone());
            let at = Coordinates { group, artifact, version };
            if !read.insert(at.clone()) {
                continue;
            }
            let Some(pom) = shelf.stored(&at) else {
                self.missing.borrow_mut().push(at.shown());
                continue;
            };
            let list = Self::of(&pom, None, shelf);
            for (key, version) in list.versions(shelf, read) {
                out.entry(key).or_insert(version);
            }
            self.missing.borrow_mut().append(&mut list.missing.into_inner());
        }
        out
    }

    fn key(&self, item: &Declaration) -> Key {
        let put = |text: &str| self.put(text).unwrap_or_default();
        (put(&item.at.group), put(&item.at.artifact), put(&item.kind), put(&item.classifier))
    }

    /// Replaces `${…}` in a text by the values of properties; `None` if a property is unknown or nested too deeply, or
    /// a `}` is missing.
    fn put(&self, text: &str) -> Option<String> {
        self.put_within(text, 0)
    }

    fn put_within(&self, text: &str, depth: usize) -> Option<String> {
        let Some((before, rest)) = text.split_once("${") else { return Some(text.to_owned()) };
        let (name, after) = rest.split_once('}').filter(|_| depth < DEPTH)?;
        let value = self.put_within(&self.property(name)?, depth + 1)?;
        Some(format!("{before}{value}{}", self.put_within(after, depth)?))
    }

    fn property(&self, name: &str) -> Option<String> {
        let parent = || self.line.first().and_then(|pom| pom.parent.as_ref()).map(|parent| &parent.at);
        let bare = name.strip_prefix("project.").or_else(|| name.strip_prefix("pom.")).unwrap_or(name);
        match bare {
            "groupId" => Some(self.own.group.clone()),
            "artifactId" => Some(self.own.artifact.clone()),
            "version" => Some(self.own.version.clone()),
            "parent.groupId" => parent().map(|parent| parent.group.clone()),
            "parent.version" => parent().map(|parent| parent.version.clone()),
            _ => self.properties.get(name).cloned(),
        }
    }
}

impl Coordinates {
    fn none() -> Self {
        Self { group: String::new(), artifact: String::new(), version: String::new() }
    }

    /// Formats the coordinates as `group:artifact:version`.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}:{}", self.group, self.artifact, self.version)
    }
}
