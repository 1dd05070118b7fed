//! Maven artifacts as dependencies: `pom.xml`, Gradle's lock file, and source JARs in the caches of Maven and Gradle.

mod pom;
mod xml;

use crate::dependency_list::{
    DependencyList, Directness, Entry, MissingSource, PackageSource, VersionSource,
};
use crate::name::Ecosystem;
use crate::project::{Project, is_plain, label};
use pom::{Coordinates, Parent, Pom, PomSource};
use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Component, Path, PathBuf},
    rc::Rc,
};
use toolpost_workspace::walk::found_below;
use toolpost_workspace::{AllowedParent, WorkspacePath};

pub(crate) fn locked(project: &Project<'_>) -> DependencyList {
    let mut out = DependencyList::default();
    let shelf = PomLibrary::of(project, &mut out);
    let poms: Vec<&WorkspacePath> = project.named(&["pom.xml"]).collect();
    let all: Vec<_> = poms
        .iter()
        .filter_map(|file| {
            let pom = shelf.beside.get(file.raw())?;
            Some((*file, pom::effective(pom, Some(file.raw()), &shelf)))
        })
        .collect();
    // The project's modules are recorded first, so that a module that another one requires is not added as a dependency.
    out.own = all.iter().map(|(_, needed)| needed.own.clone()).collect();
    for (file, needed) in all {
        if !needed.missing.is_empty() {
            let missing = needed.missing.join(", ");
            out.odd.push(format!(
                "{}: {missing} is not in the local repository, so some versions are unknown; `mvn validate` downloads it",
                file.display()
            ));
        }
        for (name, version) in needed.artifacts {
            if !out.own.contains(&name) {
                let (at, version_source) = (file.parent(), VersionSource::File(file.display()));
                let (direct, source) = (Directness::Yes, String::new());
                out.add(Entry { name, version, version_source, direct, at, source });
            }
        }
    }
    for file in project.named(&["gradle.lockfile"]) {
        let text = match project.text(file) {
            Ok(text) => text,
            Err(why) => {
                out.odd.push(format!("{}: {why}", file.display()));
                continue;
            }
        };
        out.read.push(file.display());
        for (name, version, direct) in gradle(&text) {
            let (at, version_source) = (file.parent(), VersionSource::File(file.display()));
            out.add(Entry { name, version, version_source, direct, at, source: String::new() });
        }
    }
    out
}

/// The POM files of the project and of Maven's local repository.
struct PomLibrary<'a> {
    project: &'a Project<'a>,
    beside: HashMap<PathBuf, Rc<Pom>>,
    stored: RefCell<HashMap<Coordinates, Option<Rc<Pom>>>>,
}

impl<'a> PomLibrary<'a> {
    /// Reads the POM files of the project.
    fn of(project: &'a Project<'a>, out: &mut DependencyList) -> Self {
        let mut beside = HashMap::new();
        for file in project.named(&["pom.xml"]) {
            let pom = |text: String| Pom::read(&text).ok_or_else(|| "the file is not a valid POM".to_owned());
            match project.text(file).and_then(pom) {
                Ok(pom) => {
                    out.read.push(file.display());
                    beside.insert(file.raw().to_owned(), Rc::new(pom));
                }
                Err(why) => out.odd.push(format!("{}: {why}", file.display())),
            }
        }
        Self { project, beside, stored: RefCell::default() }
    }

    fn text(&self, at: &Coordinates) -> Option<String> {
        let Coordinates { group, artifact, version } = at;
        if !group.split('.').all(is_plain) || !is_plain(artifact) || !is_plain(version) {
            return None;
        }
        let file = format!("{artifact}-{version}.pom");
        folders(self.project, group, artifact, version).iter().find_map(|(holder, folder)| {
            let folder = self.project.open(folder, std::slice::from_ref(holder), "java").ok()?;
            self.project.text_in(&folder, &file)
        })
    }
}

impl PomSource for PomLibrary<'_> {
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

/// Resolves `.` and `..` in a path without reading the disk; `None` if the path leads above its first component.
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

type ListedPackage = (String, String, Directness);

fn gradle(text: &str) -> Vec<ListedPackage> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('=').next());
    let artifact = |said: &str| {
        let (name, version) = said.trim().rsplit_once(':')?;
        name.contains(':').then(|| (name.to_owned(), version.to_owned(), Directness::No))
    };
    lines.filter_map(artifact).collect()
}

pub(crate) fn place(project: &Project<'_>, entry: &Entry) -> Result<PackageSource, MissingSource> {
    let absent = |searched: Vec<String>, next: &str| Err(MissingSource { searched, next: next.to_owned() });
    let Some((group, artifact)) = entry.name.split_once(':') else {
        return absent(Vec::new(), "the name has no group; write it as `group:artifact`");
    };
    let version = &entry.version;
    if version.is_empty() {
        return absent(
            Vec::new(),
            "no pom.xml, parent POM or BOM on this machine states the version; `mvn validate` downloads \
             missing POMs",
        );
    }
    if !group.split('.').all(is_plain) || !is_plain(artifact) || !is_plain(version) {
        return absent(Vec::new(), "the name and the version are not valid Maven coordinates");
    }
    if project.stores.maven.is_none() && project.stores.gradle.is_none() {
        return absent(Vec::new(), "neither Maven's local repository nor Gradle's cache is known");
    }
    let label = label(Ecosystem::Java, &entry.name, version);
    let plain = format!("{artifact}-{version}-sources");
    let packed = format!("{plain}.jar");
    let mut searched = Vec::new();
    for (holder, folder) in &folders(project, group, artifact, version) {
        let holders = std::slice::from_ref(holder);
        if let Ok(path) = project.open(&folder.join(&plain), holders, &label) {
            return Ok(PackageSource { path, version: version.clone() });
        }
        searched.push(folder.join(&packed).display().to_string());
        let Ok(folder) = project.open(folder, holders, "java") else { continue };
        let Some(file) =
            found_below(&folder, packed.as_bytes()).filter(|_| project.list(&folder).contains(&packed))
        else {
            continue;
        };
        return match project.unpacked.open(
            project.workspace,
            project.stores.unpacked.as_deref(),
            &file,
            &label,
        ) {
            Ok(path) => Ok(PackageSource { path, version: version.clone() }),
            Err(why) => absent(searched, &format!("{packed} exists, but cannot be read: {why}")),
        };
    }
    absent(
        searched,
        &format!(
            "run `mvn dependency:sources -DincludeArtifactIds={artifact}` to download the sources (with \
             Gradle, let an IDE download them)"
        ),
    )
}

/// Returns the directories that may contain the files of an artifact, each with its allowed parent directory. Gradle
/// has one directory per file, named by the file's hash.
fn folders(
    project: &Project<'_>,
    group: &str,
    artifact: &str,
    version: &str,
) -> Vec<(AllowedParent, PathBuf)> {
    let mut out = Vec::new();
    if let Some(store) = &project.stores.maven {
        let folder = store.join(group.replace('.', "/")).join(artifact).join(version);
        out.extend(AllowedParent::open(store).map(|holder| (holder, folder)));
    }
    if let Some(holder) = project.stores.gradle.as_deref().and_then(AllowedParent::open) {
        let above = holder.path().join(group).join(artifact).join(version);
        let opened = project.open(&above, std::slice::from_ref(&holder), "java");
        let names = opened.map(|above| project.list(&above)).unwrap_or_default();
        let names = names.into_iter().filter(|name| is_plain(name));
        out.extend(names.map(|name| (holder.clone(), above.join(name))));
    }
    out
}

#[cfg(test)]
mod tests;
