//! Maven artifacts: `pom.xml`, Gradle's lock file, and the archives of sources in the stores of both.

use crate::Holder;
use crate::dependencies::here::{Here, is_plain, label};
use crate::dependencies::locked::{Absent, Direct, Entry, Found, Locked};
use crate::dependencies::name::Ecosystem;
use crate::walk::found_below;
use std::path::PathBuf;

pub(crate) fn locked(here: &Here<'_>) -> Locked {
    let mut out = Locked::default();
    for file in here.named(&["pom.xml", "gradle.lockfile"]) {
        let Some(text) = here.text(file) else {
            out.odd.push(format!("{}: it cannot be read", file.display()));
            continue;
        };
        out.read.push(file.display());
        let listed =
            if file.file_name().is_some_and(|name| name == "pom.xml") { pom(&text) } else { gradle(&text) };
        for (name, version, direct) in listed {
            out.add(Entry { name, version, direct, at: file.parent(), source: String::new() });
        }
    }
    out
}

type Listed = (String, String, Direct);

/// Reads the artifacts that a project names.
fn pom(text: &str) -> Vec<Listed> {
    let value = |said: &str| match said.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
        Some(name) => element(text, name).unwrap_or_default().to_owned(),
        None => said.to_owned(),
    };
    let one = |block: &str| {
        let (group, artifact) = (element(block, "groupId")?, element(block, "artifactId")?);
        let version = element(block, "version").map(value).unwrap_or_default();
        Some((format!("{}:{artifact}", value(group)), version, Direct::Yes))
    };
    text.split("<dependency>").skip(1).filter_map(|block| one(block.split("</dependency>").next()?)).collect()
}

/// Gives the text of the first element of a name.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(value, _)| value.trim())
}

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
        return absent(Vec::new(), "its version stands in no file here: name it in pom.xml");
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
        return match here.unpacked.open(here, &file, &label) {
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

/// Lists the folders in which an artifact may lie, each with what holds it; Gradle has one for each file, named by its hash.
fn folders(here: &Here<'_>, group: &str, artifact: &str, version: &str) -> Vec<(Holder, PathBuf)> {
    let mut out = Vec::new();
    if let Some(store) = &here.places.maven {
        let folder = store.join(group.replace('.', "/")).join(artifact).join(version);
        out.extend(Holder::open(store).map(|holder| (holder, folder)));
    }
    if let Some(holder) = here.places.gradle.as_deref().and_then(Holder::open) {
        let above = holder.path().join(group).join(artifact).join(version);
        let opened = here.open(&above, std::slice::from_ref(&holder), "java");
        let names = opened.map(|above| here.list(&above)).unwrap_or_default();
        let names = names.into_iter().filter(|name| is_plain(name));
        out.extend(names.map(|name| (holder.clone(), above.join(name))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Direct, gradle, pom};

    #[test]
    fn artifacts_are_read() {
        let text = "<project><properties><g.version>33.0</g.version></properties><dependencies><dependency>\n<groupId>com.google.guava</groupId>\
                    <artifactId>guava</artifactId><version>${g.version}</version></dependency><dependency><groupId>a</groupId>\
                    <artifactId>b</artifactId></dependency></dependencies></project>";
        let row = |name: &str, version: &str, direct| (name.to_owned(), version.to_owned(), direct);
        assert_eq!(
            pom(text),
            [row("com.google.guava:guava", "33.0", Direct::Yes), row("a:b", "", Direct::Yes)]
        );
        let text = "# made by Gradle\norg.slf4j:slf4j-api:2.0.1=compileClasspath\nempty=\n";
        assert_eq!(gradle(text), [row("org.slf4j:slf4j-api", "2.0.1", Direct::No)]);
    }
}
