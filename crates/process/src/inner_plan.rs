//! The plan for the inner step (`inner.rs`), serialised so that it survives `execve`.

use std::ffi::CString;
use std::os::fd::{OwnedFd, RawFd};

use rustix::io::Errno;
use rustix::process::Rlimit;
use toolpost_sandbox::encoding::{Reader, Writer};
use toolpost_sandbox::memfd::file;
use toolpost_sandbox::{AccessRight, ExpectedMount, Identity, NamespacePlan, Network, Protection};

use crate::command_setup::Terminal;
use crate::resources::Resources;

/// The input of the inner step: what the first process in a sandbox of `bwrap`, or in a launcher's copy of a file
/// system, restricts, supervises and executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerPlan {
    /// The descriptor of the socket over which the inner step reports to the server.
    pub(crate) control: RawFd,
    /// The descriptor of the host's `/proc`, in which the command finds its PID on the host.
    pub(crate) processes: RawFd,
    /// File descriptors that the command gets in addition to standard input, output and errors.
    pub(crate) kept: Vec<RawFd>,
    /// The controlling terminal of the command: its standard input, or none.
    pub(crate) terminal: Terminal,
    /// Maximum number of open files of the command.
    pub(crate) files: Rlimit,
    /// The memory, processes and disk space that the command may use.
    pub(crate) resources: Resources,
    /// The restrictions that the inner step applies inside the namespaces.
    pub(crate) inside: NamespacePlan,
    /// True if the command must not start without the guard of the missing names in `inside`.
    pub(crate) must_guard: bool,
    /// The mounts that the launcher's copy of a file system must have; empty for `bwrap`.
    pub(crate) mounts: Vec<ExpectedMount>,
    /// The directory in which the command starts.
    pub(crate) directory: CString,
    /// The program and its arguments; if empty, the inner step exits successfully instead of executing a
    /// program.
    pub(crate) words: Vec<CString>,
    /// The command's environment, as `NAME=VALUE`.
    pub(crate) environment: Vec<CString>,
}

impl InnerPlan {
    /// Writes the plan to an anonymous file, whose position is then set to its start.
    pub(crate) fn to_file(&self) -> Result<OwnedFd, Errno> {
        file(&self.bytes())
    }

    /// Serialises the plan for `read`.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let number = |number: RawFd| u64::from(number.cast_unsigned());
        out.number(number(self.control));
        out.number(number(self.processes));
        out.each(&self.kept, |out, kept| out.number(number(*kept)));
        out.number(u64::from(self.terminal == Terminal::StandardInput));
        for limit in [self.files.current, self.files.maximum] {
            out.number(limit.unwrap_or(u64::MAX));
        }
        let Resources { memory, processes, file_size, disk_reserve } = self.resources;
        for limit in [memory, processes, file_size, disk_reserve] {
            out.number(limit.unwrap_or(u64::MAX));
        }
        out.number(u64::from(self.inside.network == Network::Proxied));
        out.number(self.inside.landlock.map_or(0, u64::from));
        out.each(&self.inside.allowed, |out, (path, right)| {
            out.text(path);
            out.number(match right {
                AccessRight::Read => 0,
                AccessRight::Change => 1,
                AccessRight::Device => 2,
            });
        });
        out.each(&self.inside.pinned, |out, (path, pinned)| {
            out.text(path);
            out.number(u64::from(*pinned == Protection::Unchanged));
        });
        out.each(&self.inside.creations, |out, name| out.text(name));
        out.number(u64::from(self.must_guard));
        out.each(&self.mounts, write_mount);
        out.text(&self.directory);
        out.each(&self.words, |out, word| out.text(word));
        out.each(&self.environment, |out, variable| out.text(variable));
        out.bytes()
    }

    /// Parses a serialised plan; `None` if the bytes are not exactly one plan.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let descriptor = |from: &mut Reader<'_>| RawFd::try_from(from.number()?).ok();
        let plan = Self {
            control: descriptor(&mut from)?,
            processes: descriptor(&mut from)?,
            kept: from.each(descriptor)?,
            terminal: if from.number()? == 1 { Terminal::StandardInput } else { Terminal::None },
            files: Rlimit { current: limit(&mut from)?, maximum: limit(&mut from)? },
            resources: Resources {
                memory: limit(&mut from)?,
                processes: limit(&mut from)?,
                file_size: limit(&mut from)?,
                disk_reserve: limit(&mut from)?,
            },
            inside: NamespacePlan {
                network: if from.number()? == 1 { Network::Proxied } else { Network::Closed },
                landlock: u32::try_from(from.number()?).ok().filter(|version| *version > 0),
                allowed: from.each(|from| {
                    let path = from.text()?;
                    let right = [AccessRight::Read, AccessRight::Change, AccessRight::Device];
                    Some((path, *right.get(usize::try_from(from.number()?).ok()?)?))
                })?,
                pinned: from.each(|from| {
                    let path = from.text()?;
                    let pinned =
                        if from.number()? == 1 { Protection::Unchanged } else { Protection::InPlace };
                    Some((path, pinned))
                })?,
                creations: from.each(Reader::text)?,
            },
            must_guard: from.number()? == 1,
            mounts: from.each(read_mount)?,
            directory: from.text()?,
            words: from.each(Reader::text)?,
            environment: from.each(Reader::text)?,
        };
        from.is_at_end().then_some(plan)
    }
}

fn write_mount(out: &mut Writer, mount: &ExpectedMount) {
    out.text(&mount.at);
    out.number(u64::from(mount.is_read_only));
    out.number(u64::from(mount.what.is_some()));
    if let Some(what) = mount.what {
        out.number(u64::from(what.major));
        out.number(u64::from(what.minor));
        out.number(what.inode);
    }
}

fn read_mount(from: &mut Reader<'_>) -> Option<ExpectedMount> {
    let (at, is_read_only) = (from.text()?, from.number()? == 1);
    let what = match from.number()? {
        1 => Some(Identity {
            major: u32::try_from(from.number()?).ok()?,
            minor: u32::try_from(from.number()?).ok()?,
            inode: from.number()?,
        }),
        _ => None,
    };
    Some(ExpectedMount { at, what, is_read_only })
}

fn limit(from: &mut Reader<'_>) -> Option<Option<u64>> {
    from.number().map(|number| Some(number).filter(|number| *number != u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_sandbox::memfd::all_of;

    #[test]
    fn plan_reads_back_unchanged_and_damaged_bytes_are_refused() {
        let plan = InnerPlan {
            control: 7,
            processes: 8,
            kept: vec![9, 10],
            terminal: Terminal::StandardInput,
            files: Rlimit { current: Some(1024), maximum: None },
            resources: Resources { memory: Some(1 << 30), processes: Some(99), ..Resources::unlimited() },
            inside: NamespacePlan {
                network: Network::Proxied,
                landlock: Some(6),
                allowed: vec![
                    (c"/".into(), AccessRight::Read),
                    (c"/w".into(), AccessRight::Change),
                    (c"/dev".into(), AccessRight::Device),
                ],
                pinned: vec![
                    (c"/w/.git".into(), Protection::InPlace),
                    (c"/w/.git/hooks".into(), Protection::Unchanged),
                ],
                creations: vec![c"/w/.envrc".into()],
            },
            must_guard: true,
            mounts: vec![
                ExpectedMount {
                    at: c"/w".into(),
                    what: Some(Identity { major: 8, minor: 1, inode: 77 }),
                    is_read_only: true,
                },
                ExpectedMount { at: c"/etc/shadow".into(), what: None, is_read_only: false },
            ],
            directory: c"/w".into(),
            words: vec![c"/bin/echo".into(), c"a b".into(), c"".into()],
            environment: vec![c"A=\xff".into()],
        };
        let mut plain = plan.clone();
        plain.terminal = Terminal::None;
        plain.inside.network = Network::Closed;
        plain.inside.landlock = None;
        plain.must_guard = false;
        plain.words.clear();
        for plan in [plan, plain] {
            let bytes = plan.bytes();
            assert_eq!(InnerPlan::read(&bytes), Some(plan.clone()));
            assert_eq!(all_of(&plan.to_file().unwrap()).unwrap(), bytes);
            for length in 0..bytes.len() {
                assert_eq!(InnerPlan::read(&bytes[..length]), None, "{length}");
            }
            assert_eq!(InnerPlan::read(&[bytes.as_slice(), &[0]].concat()), None);
        }
    }
}
