//! Attempts one escape from a sandbox, and prints `A` if it succeeds.
//!
//! Tests start it in the sandbox.
#![expect(clippy::print_stdout, reason = "the test that started this program reads its output")]
#![expect(clippy::disallowed_methods, reason = "a plain write is one of the escape attempts")]
#![expect(unsafe_code, reason = "it makes raw system calls")]

use std::io::{Error, Write};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<i64>().unwrap_or(-1);
    match *words.as_slice() {
        ["abstract", name] => {
            UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?.write_all(b"x")?;
        }
        ["path", path] => UnixStream::connect_addr(&SocketAddr::from_pathname(path)?)?.write_all(b"x")?,
        ["ptrace", pid] => call(libc::SYS_ptrace, [libc::PTRACE_SEIZE.into(), number(pid), 0, 0])?,
        ["look", pid] => call(libc::SYS_process_vm_readv, [number(pid), 0, 0, 0])?,
        ["unshare"] => call(libc::SYS_unshare, [libc::CLONE_NEWUSER.into(), 0, 0, 0])?,
        ["io_uring"] => {
            let mut space = [0_u8; 256];
            call(libc::SYS_io_uring_setup, [8, space.as_mut_ptr() as i64, 0, 0])?;
        }
        ["keyring"] => call(libc::SYS_keyctl, [0, -4, 1, 0])?,
        ["socket", family, kind] => call(libc::SYS_socket, [number(family), number(kind), 0, 0])?,
        ["type"] => {
            let terminal = std::io::stdin();
            let letter = b'x';
            let place = std::ptr::from_ref(&letter) as i64;
            call(libc::SYS_ioctl, [terminal.as_raw_fd().into(), libc::TIOCSTI as i64, place, 0])?;
        }
        ["mount", path] => {
            let path = std::ffi::CString::new(path)?;
            let none = c"none".as_ptr() as i64;
            call(libc::SYS_mount, [none, path.as_ptr() as i64, c"tmpfs".as_ptr() as i64, 0])?;
            call(libc::SYS_umount2, [path.as_ptr() as i64, 0, 0, 0])?;
        }
        ["exchange", from, to] => {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            // Either call would put something new at the guarded path.
            let moved = renameat_with(CWD, from, CWD, to, RenameFlags::empty());
            moved.or_else(|_| renameat_with(CWD, to, CWD, from, RenameFlags::EXCHANGE))?;
        }
        ["nameless", directory, to] => {
            use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
            let file = openat(CWD, directory, OFlags::TMPFILE | OFlags::WRONLY, Mode::RWXU)?;
            linkat(CWD, format!("/proc/self/fd/{}", file.as_raw_fd()), CWD, to, AtFlags::SYMLINK_FOLLOW)?;
        }
        _ => attributes_and_limits(&words)?,
    }
    println!("A");
    Ok(())
}

/// Escape attempts through resource limits, file attributes and shared memory, and past the filter of system
/// calls.
fn attributes_and_limits(words: &[&str]) -> Result<(), Error> {
    let number = |word: &str| word.parse::<i64>().unwrap_or(-1);
    match *words {
        ["limits", pid] => {
            let mut limit = [0_u64; 2];
            let files = i64::from(libc::RLIMIT_NOFILE);
            let place = limit.as_mut_ptr() as i64;
            call(libc::SYS_prlimit64, [number(pid), files, 0, place])?;
            call(libc::SYS_prlimit64, [number(pid), files, place, 0])?;
        }
        ["shared memory"] => {
            // SAFETY: the arguments are plain numbers.
            let id = unsafe { libc::syscall(libc::SYS_shmget, libc::IPC_PRIVATE, 4096, 0o600) };
            if id < 0 {
                return Err(Error::last_os_error());
            }
            call(libc::SYS_shmctl, [id, libc::IPC_RMID.into(), 0, 0])?;
        }
        ["fchmod", path] => {
            let file = std::fs::File::open(path)?;
            let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions());
            call(libc::SYS_fchmod, [file.as_raw_fd().into(), mode.into(), 0, 0])?;
        }
        ["setxattr", path] => {
            let path = std::ffi::CString::new(path)?;
            let (name, value) = (c"user.toolpost".as_ptr() as i64, c"x".as_ptr() as i64);
            call(libc::SYS_setxattr, [path.as_ptr() as i64, name, value, 1])?;
        }
        ["openat2", path] => {
            use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
            let flags = OFlags::WRONLY | OFlags::CREATE;
            openat2(CWD, path, flags, Mode::RWXU, ResolveFlags::empty())?;
        }
        ["undumpable", path] => {
            let nobody = rustix::process::DumpableBehavior::NotDumpable;
            rustix::process::set_dumpable_behavior(nobody)?;
            std::fs::write(path, "x")?;
        }
        _ => return Err(Error::other("unknown escape attempt")),
    }
    Ok(())
}

fn call(number: libc::c_long, [a, b, c, d]: [i64; 4]) -> Result<(), Error> {
    // SAFETY: pointers in the arguments refer to values that outlive the call.
    match unsafe { libc::syscall(number, a, b, c, d, 0_i64, 0_i64) } {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}
