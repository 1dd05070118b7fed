//! The TCP ports on which the processes of a job listen.

use std::collections::{BTreeSet, HashSet};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat};

use crate::leftovers::read;
use crate::tree;

/// Maximum number of bytes that are read from a socket list such as `/proc/net/tcp`.
const LIST: usize = 1024 * 1024;

/// Maximum number of processes of a job whose sockets are listed.
const PROCESSES: usize = 256;

/// Lists the ports on which descendants of a supervisor listen. Examines only the first `PROCESSES` of them,
/// and only those that this process may inspect.
pub(crate) fn below(supervisor: i32) -> Vec<u16> {
    let mut ports = BTreeSet::new();
    for process in tree::below(supervisor).into_iter().take(PROCESSES) {
        let sockets = sockets(process.pid);
        if sockets.is_empty() {
            continue;
        }
        for list in ["net/tcp", "net/tcp6"] {
            let text = read(process.pid, list, LIST).unwrap_or_default();
            let listening = String::from_utf8_lossy(&text).lines().filter_map(listens).collect::<Vec<_>>();
            ports.extend(
                listening.iter().filter(|(_, socket)| sockets.contains(socket)).map(|(port, _)| *port),
            );
        }
    }
    ports.into_iter().collect()
}

/// Lists the inode numbers of the sockets that a process has open.
fn sockets(pid: i32) -> HashSet<u64> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(CWD, format!("/proc/{pid}/fd"), flags, Mode::empty()) else {
        return HashSet::new();
    };
    let Ok(entries) = Dir::read_from(&directory) else { return HashSet::new() };
    let number = |name: &std::ffi::CStr| {
        let link = readlinkat(&directory, name, Vec::new()).ok()?.into_string().ok()?;
        link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    entries.flatten().filter_map(|entry| number(entry.file_name())).collect()
}

/// Parses a line of `/proc/net/tcp`: the port and the inode number of a listening socket; `None` for other lines.
fn listens(line: &str) -> Option<(u16, u64)> {
    const LISTENS: &str = "0A";
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (local, _, state) = (fields.next()?, fields.next()?, fields.next()?);
    let port = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
    let socket = fields.nth(5)?.parse().ok()?;
    (state == LISTENS).then_some((port, socket))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    #[test]
    fn listening_sockets_are_parsed_from_proc_net_tcp() {
        let rows = [
            (
                "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 x",
                Some((8000, 4711)),
            ),
            (
                "   1: 0100007F:1F40 0100007F:8000 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 x",
                None,
            ),
            (
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
                None,
            ),
            ("", None),
        ];
        each(rows, |(line, wanted)| {
            assert_eq!(listens(line), wanted, "{line}");
        });
    }
}
