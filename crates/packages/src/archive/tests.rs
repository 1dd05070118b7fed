//! Tests of unpacking well-formed, damaged and hostile archives.

use super::{ArchiveCache, chosen, unpack, zip::Archive};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;
use std::path::Path;
use toolpost_test_rows::each;
use toolpost_workspace::{Options, Workspace, WorkspacePath};

/// A file in a test archive, with the metadata that the archive states for it.
struct TestMember<'a> {
    name: &'a [u8],
    content: &'a [u8],
    says: Option<u32>,
    mode: u32,
    sum: Option<u32>,
}

fn file<'a>(name: &'a str, content: &'a [u8]) -> TestMember<'a> {
    TestMember { name: name.as_bytes(), content, says: None, mode: 0o100_644, sum: None }
}

fn packed(files: &[TestMember<'_>]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (number, member) in files.iter().enumerate() {
        let (method, body) = match number % 2 {
            0 => (8_u16, deflated(member.content)),
            _ => (0, member.content.to_vec()),
        };
        let mut sum = Crc::new();
        sum.update(member.content);
        let sum = member.sum.unwrap_or(sum.sum());
        let size = member.says.unwrap_or(member.content.len() as u32);
        let at = out.len() as u32;
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0]);
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        for number in [sum, body.len() as u32, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((member.name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        out.extend(*b"PK\x03\x04");
        out.extend(&common);
        out.extend(member.name);
        out.extend(body);
        list.extend(*b"PK\x01\x02");
        list.extend([20, 3]);
        list.extend(&common);
        list.extend([0; 6]);
        list.extend((member.mode << 16).to_le_bytes());
        list.extend(at.to_le_bytes());
        list.extend(member.name);
    }
    let at = out.len() as u32;
    out.extend(&list);
    out.extend(*b"PK\x05\x06\0\0\0\0");
    out.extend((files.len() as u16).to_le_bytes());
    out.extend((files.len() as u16).to_le_bytes());
    out.extend((list.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend(*b"\x05\0hello");
    out
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let cache = tempfile::tempdir().unwrap();
    let within = cache.path().join("cache");
    let folder = within.join("x");
    let result = unpack(bytes, &within, &folder);
    let mut files = Vec::new();
    gather(cache.path(), &mut files);
    if result.is_err() {
        // A rejected archive leaves no files in the target directory or outside it.
        assert_eq!(files, []);
    }
    result?;
    files.sort();
    let below = |path: String| path.split_once("/cache/x/").unwrap().1.to_owned();
    Ok(files.into_iter().map(|(path, content)| (below(path), content)).collect())
}

fn gather(directory: &Path, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, out);
        } else {
            out.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn archives_are_unpacked() {
    let long = "line\n".repeat(50_000);
    let link = TestMember { mode: 0o120_777, ..file("org/link.java", b"../../../secret") };
    let files = [
        file("META-INF/", b""),
        file("META-INF/MANIFEST.MF", b"Version: 1\n"),
        file("org/a/A.java", long.as_bytes()),
        file("org/a/B.java", b"class B {}"),
        file("org/a/A.class", b"\xca\xfe"),
        link,
        file("org/a/B.java", b"class Again {}"),
        file("org/a/B.java/C.java", b"class C {}"),
        file("org/Empty.java", b""),
    ];
    let wanted = [
        ("META-INF/MANIFEST.MF", "Version: 1\n"),
        ("org/Empty.java", ""),
        ("org/a/A.java", long.as_str()),
        ("org/a/B.java", "class B {}"),
    ];
    let wanted = wanted.map(|(name, content)| (name.to_owned(), content.to_owned()));
    assert_eq!(unpacked(&packed(&files)), Ok(wanted.to_vec()));
}

#[test]
fn escaping_and_inconsistent_archives_are_refused_entirely() {
    let good = || file("A.java", b"class A {}");
    let with = |member: TestMember<'_>| packed(&[good(), member]);
    let zeros = vec![0; 1 << 20];
    let bomb = packed(&[TestMember { says: Some(10), ..file("Bomb.java", &zeros) }]);
    let many: Vec<TestMember<'_>> =
        (0..40).map(|_| TestMember { says: Some(15 << 20), ..file("x/Big.java", b"") }).collect();
    let whole = packed(&[good(), file("B.java", b"class B {}")]);
    let rows: [(Vec<u8>, &str); 16] = [
        (
            with(file("../evil.java", b"x")),
            "the archive contains ../evil.java, which leads out of the archive",
        ),
        (with(file("a/../../evil.java", b"x")), "which leads out of the archive"),
        (with(file("/etc/evil", b"x")), "the archive contains /etc/evil, which leads out of the archive"),
        (with(file("a\\..\\evil", b"x")), "which leads out of the archive"),
        (with(file("C:evil", b"x")), "which leads out of the archive"),
        (with(file("a//b", b"x")), "which leads out of the archive"),
        (with(file("a\0b", b"x")), "which leads out of the archive"),
        (with(file("", b"x")), "which leads out of the archive"),
        (with(file(&"x/".repeat(300), b"")), "which leads out of the archive"),
        (with(TestMember { name: b"\xff.java", ..good() }), "whose name is not UTF-8"),
        (
            bomb,
            "Bomb.java in the archive cannot be unpacked: the file is longer than the archive's central directory \
             states",
        ),
        (packed(&many), "the archive would unpack to 600 MiB, and the limit is 256 MiB"),
        (
            with(TestMember { sum: Some(1), ..file("B.java", b"x") }),
            "the content does not match the archive's central directory",
        ),
        (
            packed(&[TestMember { says: Some(20), ..good() }]),
            "the content does not match the archive's central directory",
        ),
        (whole[..whole.len() - 30].to_vec(), "the file is truncated, or is not an archive"),
        (b"<html>not found</html>".to_vec(), "the file is truncated, or is not an archive"),
    ];
    each(rows, |(bytes, wanted)| {
        let found = unpacked(&bytes);
        assert!(found.as_ref().is_err_and(|why| why.contains(wanted)), "{wanted}: {found:?}");
    });
    // A truncated archive, or one with a changed byte, is rejected or unpacked without a panic.
    for at in 0..whole.len() {
        let mut odd = whole.clone();
        odd[at] ^= 0xff;
        for bytes in [&odd, &whole[..at].to_vec()] {
            if let Ok(archive) = Archive::read(bytes)
                && let Ok(wanted) = chosen(&archive)
            {
                wanted.iter().for_each(|(member, _)| drop(archive.content(member)));
            }
        }
    }
}

#[test]
fn an_archive_is_unpacked_once_and_again_after_a_change() {
    let world = tempfile::tempdir().unwrap();
    let place = |name: &str| world.path().join(name);
    std::fs::create_dir(place("root")).unwrap();
    std::fs::write(place("root/a.jar"), packed(&[file("A.java", b"class A {}")])).unwrap();
    let workspace = Workspace::open(Options { roots: vec![place("root")], ..Options::default() }).unwrap().0;
    let cache = place("cache/sources");
    let cache = Some(cache.as_path());
    let unpacked = ArchiveCache::default();
    let jar = workspace.resolve("a.jar").unwrap();
    let open = || unpacked.open(&workspace, cache, &jar, "java:a:a@1");
    let first = open().unwrap();
    assert_eq!(first.display(), "java:a:a@1");
    let file = |of: &WorkspacePath| {
        let path = workspace.resolve_external(of, "java:a:a@1/A.java", "A.java").unwrap();
        String::from_utf8(workspace.read(&path, 100).unwrap().bytes).unwrap()
    };
    assert_eq!(file(&first), "class A {}");
    // An existing directory in the cache is used unchanged: the archive is not unpacked a second time.
    let lies = first.raw().join("A.java");
    std::fs::write(&lies, "class Known {}").unwrap();
    assert_eq!(file(&open().unwrap()), "class Known {}");
    assert_eq!(
        file(&ArchiveCache::default().open(&workspace, cache, &jar, "java:a:a@1").unwrap()),
        "class Known {}"
    );
    std::fs::write(place("root/a.jar"), packed(&[self::file("A.java", b"class Other {}")])).unwrap();
    assert_eq!(file(&open().unwrap()), "class Other {}");
    let drafts = std::fs::read_dir(place("cache/sources")).unwrap();
    let names: Vec<String> = drafts.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.len() == 2 && names.iter().all(|name| name.len() == 64), "{names:?}");
    // An archive whose directory was removed from the cache is unpacked again.
    std::fs::remove_dir_all(place("cache")).unwrap();
    assert_eq!(file(&open().unwrap()), "class Other {}");
}
