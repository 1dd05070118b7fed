//! Maven artifacts: `pom.xml`, Gradle's lock file, and source JARs in the stores of both.

mod pom;
mod xml;

use crate::here::{Here, is_plain, label};
use crate::locked::{Absent, Direct, Entry, Found, Locked};
use crate::name::Ecosystem;
use pom::{Coordinates, Parent, Pom, Shelf};
use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Component, Path, PathBuf},
    rc::Rc,
};
use toolpost_workspace::walk::found_below;
use toolpost_workspace::{AllowedParent, WorkspacePath};

pub(crate) fn locked(here: &Here<'_>) -> Locked {
    let mut out = Locked::default();
    let shelf = Library::of(here, &mut out);
    let poms: Vec<&WorkspacePath> = here.named(&["pom.xml"]).collect();
    let all: Vec<_> = poms
        .iter()
        .filter_map(|file| {
            let pom = shelf.beside.get(file.raw())?;
            Some((*file, pom::in_force(pom, Some(file.raw()), &shelf)))
        })
        .collect();
    // Modules of the project that depend on each other are not dependencies.
    out.own = all.iter().map(|(_, needed)| needed.own.clone()).collect();
    for (file, needed) in all {
        if !needed.missing.is_empty() {
            let missing = needed.missing.join(", ");
            out.odd.push(format!(
                "{}: {missing} is not in the local repository, so that not all versions are known; `mvn validate` gets it",
                file.display()
            ));
        }
        for (name, version) in needed.artifacts {
            if !out.own.contains(&name) {
                let at = file.parent();
                out.add(Entry { name, version, direct: Direct::Yes, at, source: String::new() });
            }
        }
    }
    for file in here.named(&["gradle.lockfile"]) {
        let Some(text) = here.text(file) else {
            out.odd.push(format!("{}: it cannot be read", file.display()));
            continue;
        };
        out.read.push(file.display());
        for (name, version, direct) in gradle(&text) {
            out.add(Entry { name, version, direct, at: file.parent(), source: String::new() });
        }
    }
    out
}

/// POMs of the project and of the local repository.
struct Library<'a> {
    here: &'a Here<'a>,
    beside: HashMap<PathBuf, Rc<Pom>>,
    stored: RefCell<HashMap<Coordinates, Option<Rc<Pom>>>>,
}

impl<'a> Library<'a> {
    /// Reads the POMs of the project.
    fn of(here: &'a Here<'a>, out: &mut Locked) -> Self {
        let mut beside = HashMap::new();
        for file in here.named(&["pom.xml"]) {
            let Some(pom) = here.text(file).as_deref().and_then(Pom::read) else {
                out.odd
                    .push(format!("{}: it cannot be read as the description of a project", file.display()));
                continue;
            };
            out.read.push(file.display());
            beside.insert(file.raw().to_owned(), Rc::new(pom));
        }
        Self { here, beside, stored: RefCell::default() }
    }

    fn text(&self, at: &Coordinates) -> Option<String> {
        let Coordinates { group, artifact, version } = at;
        if !group.split('.').all(is_plain) || !is_plain(artifact) || !is_plain(version) {
            return None;
        }
        let file = format!("{artifact}-{version}.pom");
        folders(self.here, group, artifact, version).iter().find_map(|(holder, folder)| {
            let folder = self.here.open(folder, std::slice::from_ref(holder), "java").ok()?;
            self.here.text_in(&folder, &file)
        })
    }
}

impl Shelf for Library<'_> {
    fn parent(&self, at: Option<&Path>, parent: &Parent) -> Option<(Rc<Pom>, Option<PathBuf>)> {
        let beside = at.and_then(Path::parent).filter(|_| !parent.beside.is_empty()).and_then(|at| {
            let path = plain_path(&at.join(&parent.beside))?;
            let file = if self.beside.contains_key(&path) { path } else { path.join("pom.xml") };
            Some((self.beside.get(&file)?.clone(), Some(file)))
        });
        let beside = beside.filter(|(pom, _)| pom.is(&parent.at));
        beside.or_else(|| Some((self.stored(&parent.at)?, None)))
    }

    fn stored(&self, at: &Coordinates) -> Option<Rc<Pom>> {
        if let Some(known) = self.stored.borrow().get(at) {
            return known.clone();
        }
        let pom = self.text(at).as_deref().and_then(Pom::read).map(Rc::new);
        self.stored.borrow_mut().insert(at.clone(), pom.clone());
        pom
    }
}

/// Resolves `.` and `..` lexically; `None` if the path leads above the top.
fn plain_path(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => out.pop().then_some(())?,
            part => out.push(part),
        }
    }
    Some(out)
}

type Listed = (String, String, Direct);

fn gradle(text: &str) -> Vec<Listed> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('=').next());
    let artifact = |said: &str| {
        let (name, version) = said.trim().rsplit_once(':')?;
        name.contains(':').then(|| (name.to_owned(), version.to_owned(), Direct::No))
    };
    lines.filter_map(artifact).collect()
}

pub(crate) fn place(here: &Here<'_>, entry: &Entry) -> Result<Found, Absent> {
    let absent = |looked: Vec<String>, next: &str| Err(Absent { looked, next: next.to_owned() });
    let Some((group, artifact)) = entry.name.split_once(':') else {
        return absent(Vec::new(), "it has no group");
    };
    let version = &entry.version;
    if version.is_empty() {
        return absent(
            Vec::new(),
            "its version stands in no file here: in no pom.xml, and in no parent or list of versions that the local repository holds; `mvn validate` gets these",
        );
    }
    if !group.split('.').all(is_plain) || !is_plain(artifact) || !is_plain(version) {
        return absent(Vec::new(), "its name is no name of an artifact");
    }
    if here.places.maven.is_none() && here.places.gradle.is_none() {
        return absent(Vec::new(), "neither Maven's local repository nor Gradle's cache is known");
    }
    let label = label(Ecosystem::Java, &entry.name, version);
    let plain = format!("{artifact}-{version}-sources");
    let packed = format!("{plain}.jar");
    let mut looked = Vec::new();
    for (holder, folder) in &folders(here, group, artifact, version) {
        let holders = std::slice::from_ref(holder);
        if let Ok(path) = here.open(&folder.join(&plain), holders, &label) {
            return Ok(Found { path, version: version.clone() });
        }
        looked.push(folder.join(&packed).display().to_string());
        let Ok(folder) = here.open(folder, holders, "java") else { continue };
        let Some(file) =
            found_below(&folder, packed.as_bytes()).filter(|_| here.list(&folder).contains(&packed))
        else {
            continue;
        };
        return match here.unpacked.open(here.workspace, here.places.unpacked.as_deref(), &file, &label) {
            Ok(path) => Ok(Found { path, version: version.clone() }),
            Err(why) => absent(looked, &format!("{packed} is there and cannot be read: {why}")),
        };
    }
    absent(
        looked,
        &format!(
            "`mvn dependency:sources -DincludeArtifactIds={artifact}` gets its sources (for Gradle, an IDE does)"
        ),
    )
}

/// Returns the directories that may hold an artifact, each with its allowed parent. Gradle keeps one
/// directory per file, named by the file's hash.
fn folders(here: &Here<'_>, group: &str, artifact: &str, version: &str) -> Vec<(AllowedParent, PathBuf)> {
    let mut out = Vec::new();
    if let Some(store) = &here.places.maven {
        let folder = store.join(group.replace('.', "/")).join(artifact).join(version);
        out.extend(AllowedParent::open(store).map(|holder| (holder, folder)));
    }
    if let Some(holder) = here.places.gradle.as_deref().and_then(AllowedParent::open) {
        let above = holder.path().join(group).join(artifact).join(version);
        let opened = here.open(&above, std::slice::from_ref(&holder), "java");
        let names = opened.map(|above| here.list(&above)).unwrap_or_default();
        let names = names.into_iter().filter(|name| is_plain(name));
        out.extend(names.map(|name| (holder.clone(), above.join(name))));
    }
    out
}

#[cfg(test)]
mod tests;
