//! Maven artifacts: `pom.xml`, Gradle's lock file, and sources that were unpacked in the local repository.

use crate::Holder;
use crate::dependencies::here::{Here, is_plain, label};
use crate::dependencies::locked::{Absent, Direct, Entry, Found, Locked};
use crate::dependencies::name::Ecosystem;

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
    let Some(store) = &here.places.maven else {
        return absent(Vec::new(), "no local repository of Maven is known");
    };
    let version = &entry.version;
    if version.is_empty() {
        return absent(Vec::new(), "its version stands in no file here: name it in pom.xml");
    }
    if !group.split('.').all(is_plain) || !is_plain(artifact) || !is_plain(version) {
        return absent(Vec::new(), "its name is no name of an artifact");
    }
    let folder = store.join(group.replace('.', "/")).join(artifact).join(version);
    let unpacked = folder.join(format!("{artifact}-{version}-sources"));
    let looked = vec![unpacked.display().to_string()];
    let Some(holder) = Holder::open(store) else { return absent(looked, "`mvn dependency:sources` gets it") };
    let holders = std::slice::from_ref(&holder);
    let label = label(Ecosystem::Java, &entry.name, version);
    if let Ok(path) = here.open(&unpacked, holders, &label) {
        return Ok(Found { path, version: version.clone() });
    }
    let jar = format!("{artifact}-{version}-sources.jar");
    let packed = here.open(&folder, holders, "maven").is_ok_and(|folder| here.list(&folder).contains(&jar));
    if packed {
        let next = format!(
            "its sources are packed, and archives are not read: `cd {} && unzip -d {artifact}-{version}-sources {jar}` unpacks them",
            folder.display()
        );
        return absent(looked, &next);
    }
    absent(
        looked,
        "`mvn dependency:sources` gets its sources, which have to be unpacked beside their archive",
    )
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
