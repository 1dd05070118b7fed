//! The system calls that build a sandbox; none of them allocates, so that a forked process may make them.
#![expect(unsafe_code, reason = "namespaces, mounts, Landlock and filters have no safe interface")]

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::fork::ForkSide;

/// Attribute of a mount: the mount is read-only.
pub(crate) const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
/// Attribute of a mount: the set-user-id bit of its programs has no effect.
pub(crate) const NO_SETUID: u64 = libc::MOUNT_ATTR_NOSUID;
/// Attribute of a mount: its device files do not work.
pub(crate) const NO_DEVICES: u64 = libc::MOUNT_ATTR_NODEV;
/// Attribute of a mount: its files cannot be executed.
pub(crate) const NO_EXECUTION: u64 = libc::MOUNT_ATTR_NOEXEC;

const FSCONFIG_SET_STRING: libc::c_uint = 1;
const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
const FSOPEN_CLOEXEC: libc::c_uint = 1;
const FSMOUNT_CLOEXEC: libc::c_uint = 1;
const OPEN_TREE_CLONE: libc::c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
const MOVE_MOUNT_T_EMPTY_PATH: libc::c_uint = 0x40;

/// Origin of a confined program's network namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkOrigin {
    /// The program gets a new network namespace.
    New,
    /// The program runs in the network namespace that the forking process has joined.
    Joined,
}

/// The new namespaces of every confined program, in addition to the network namespace.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Moves this process into a new user namespace with a new network, in which it has all capabilities.
pub(crate) fn new_network() -> io::Result<()> {
    // SAFETY: the argument is a plain number.
    answer(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET) })).map(|_| ())
}

/// Moves this process, which has one thread, into an existing namespace; `kind` is its `CLONE_NEW…` flag.
pub(crate) fn join_namespace(namespace: BorrowedFd<'_>, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: the arguments are plain numbers.
    answer(libc::c_long::from(unsafe { libc::setns(namespace.as_raw_fd(), kind) })).map(|_| ())
}

/// Forks into new namespaces, in which the child is the first process and has all capabilities.
///
/// # Safety
///
/// As for `fork`: this process has one thread, and neither side allocates or takes a lock.
pub unsafe fn fork_into_namespaces(network: NetworkOrigin) -> io::Result<ForkSide> {
    let namespaces = match network {
        NetworkOrigin::New => NAMESPACES | libc::CLONE_NEWNET,
        NetworkOrigin::Joined => NAMESPACES,
    };
    // SAFETY: without its own stack the child continues with a copy of this one, as after a fork.
    match answer(unsafe { libc::syscall(libc::SYS_clone, namespaces | libc::SIGCHLD, 0, 0, 0, 0) })? {
        0 => Ok(ForkSide::Child),
        pid => Ok(ForkSide::Parent(pid)),
    }
}

/// Creates a file system, such as a `tmpfs`, that is not mounted anywhere yet.
pub(crate) fn file_system(kind: &CStr, options: &[(&CStr, &CStr)], attributes: u64) -> io::Result<OwnedFd> {
    // SAFETY: the strings outlive the calls; returned descriptors are new.
    unsafe {
        let made = descriptor(libc::syscall(libc::SYS_fsopen, kind.as_ptr(), FSOPEN_CLOEXEC))?;
        let file = made.as_raw_fd();
        for (name, value) in options {
            let (name, value) = (name.as_ptr(), value.as_ptr());
            answer(libc::syscall(libc::SYS_fsconfig, file, FSCONFIG_SET_STRING, name, value, 0))?;
        }
        let none = std::ptr::null::<libc::c_char>();
        answer(libc::syscall(libc::SYS_fsconfig, file, FSCONFIG_CMD_CREATE, none, none, 0))?;
        descriptor(libc::syscall(libc::SYS_fsmount, file, FSMOUNT_CLOEXEC, attributes))
    }
}

/// Copies the mounts at a path and below it, and restricts the copies. They are not mounted anywhere yet.
pub(crate) fn copy_tree(at: BorrowedFd<'_>, path: &CStr, attributes: u64) -> io::Result<OwnedFd> {
    let copy = copy_mounts_at(at, path)?;
    restrict(&copy, attributes, libc::AT_RECURSIVE)?;
    Ok(copy)
}

/// Copies the mounts at an open path and below it with their restrictions. They are not mounted anywhere yet.
pub(crate) fn copy_mounts(at: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    copy_mounts_at(at, c"")
}

fn copy_mounts_at(at: BorrowedFd<'_>, path: &CStr) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE
        | libc::O_CLOEXEC.cast_unsigned()
        | (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH).cast_unsigned();
    // SAFETY: the path outlives the call, and the returned descriptor is new.
    unsafe { descriptor(libc::syscall(libc::SYS_open_tree, at.as_raw_fd(), path.as_ptr(), flags)) }
}

/// Restricts a mount, but not the mounts below it.
pub(crate) fn restrict_one(mount: &OwnedFd, attributes: u64) -> io::Result<()> {
    restrict(mount, attributes, 0)
}

fn restrict(mount: &OwnedFd, attributes: u64, recursive: libc::c_int) -> io::Result<()> {
    let attributes =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | recursive;
    // SAFETY: the structure outlives the call, and its size is passed.
    answer(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(|_| ())
}

/// Attaches a detached mount over an open file or directory.
pub(crate) fn mount(what: &OwnedFd, onto: BorrowedFd<'_>) -> io::Result<()> {
    let flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    let (from, to) = (what.as_raw_fd(), onto.as_raw_fd());
    // SAFETY: the descriptors are open, and the paths are empty strings.
    answer(unsafe { libc::syscall(libc::SYS_move_mount, from, c"".as_ptr(), to, c"".as_ptr(), flags) })
        .map(|_| ())
}

/// Makes the current directory the root of the file system, and unmounts the previous root.
pub(crate) fn change_root() -> io::Result<()> {
    // SAFETY: the paths are static strings.
    unsafe {
        answer(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        answer(libc::c_long::from(libc::umount2(c".".as_ptr(), libc::MNT_DETACH)))?;
    }
    Ok(())
}

/// Activates the loopback interface of this network namespace.
pub(crate) fn loopback_up() -> io::Result<()> {
    // SAFETY: the request is a zeroed structure whose name ends with a zero byte; the socket is new.
    unsafe {
        let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
        let socket = descriptor(libc::c_long::from(libc::socket(libc::AF_INET, kind, 0)))?;
        let mut request: libc::ifreq = std::mem::zeroed();
        for (place, letter) in request.ifr_name.iter_mut().zip(b"lo") {
            *place = libc::c_char::from_ne_bytes([*letter]);
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        answer(libc::c_long::from(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)))?;
    }
    Ok(())
}

/// Drops every capability of this process and of all programs that it executes.
pub fn drop_capabilities() -> io::Result<()> {
    keep_capabilities(0)
}

/// Drops every capability except the one to inspect the processes of its namespaces (`CAP_SYS_PTRACE`).
pub fn keep_looking() -> io::Result<()> {
    const LOOK: u32 = 1 << 19;
    keep_capabilities(LOOK)
}

fn keep_capabilities(kept: u32) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    const NO_ROOT_LOCKED: libc::c_ulong = 0b10_1111;
    // SAFETY: the arguments are plain numbers, and structures that outlive the call.
    unsafe {
        for capability in 0..64 as libc::c_ulong {
            // The first unknown capability ends the loop. So does a failure to drop one: a process that may
            // not drop capabilities has none.
            if libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 {
                break;
            }
        }
        // The user root gets no capabilities from here on. The call fails in a process without capabilities,
        // which needs no such restriction.
        libc::prctl(libc::PR_SET_SECUREBITS, NO_ROOT_LOCKED, 0, 0, 0);
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        let header = Header { version: VERSION_3, pid: 0 };
        // The effective, permitted and inheritable capabilities; the lower half of each set comes first.
        let rights = [kept, kept, 0, 0, 0, 0];
        answer(libc::syscall(libc::SYS_capset, &raw const header, rights.as_ptr()))?;
    }
    Ok(())
}

/// Prevents this process, and all that it executes, from gaining privileges.
pub(crate) fn no_new_privileges() -> io::Result<()> {
    // SAFETY: the arguments are plain numbers.
    answer(libc::c_long::from(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })).map(|_| ())
}

/// Installs a seccomp filter for every system call of this process and its descendants.
pub(crate) fn filter_calls(filter: &[libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(filter.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program points to instructions that outlive the call; the kernel copies them.
    answer(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) })
        .map(|_| ())
}

/// Installs a seccomp filter for every system call of this process and its descendants. Returns the listener:
/// the descriptor from which a supervisor receives the calls that the filter leaves to it.
pub(crate) fn filter_and_listen(filter: &[libc::sock_filter]) -> io::Result<OwnedFd> {
    let length = u16::try_from(filter.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    let install = |flags: libc::c_ulong| {
        // SAFETY: the program points to instructions that outlive the call; the descriptor is new.
        unsafe {
            descriptor(libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            ))
        }
    };
    // If the kernel supports it, a signal interrupts a system call that waits for the supervisor only if it
    // kills the process.
    let listener = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    match install(listener | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV) {
        Err(fault) if fault.raw_os_error() == Some(libc::EINVAL) => install(listener),
        installed => installed,
    }
}

/// Receives a system call that waits for the supervisor's decision; `None` if none can be received, for
/// example because its process has exited in the meantime.
pub(crate) fn waiting_call(listener: BorrowedFd<'_>) -> Option<libc::seccomp_notif> {
    // SAFETY: the kernel requires a zeroed structure, and fills it; it outlives the call.
    unsafe {
        let mut call: libc::seccomp_notif = std::mem::zeroed();
        let taken = libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call);
        (taken == 0).then_some(call)
    }
}

/// Returns whether a system call still waits for its decision. If so, memory that was read by its PID
/// belonged to its process, because the PID was not reused.
pub(crate) fn still_waits(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the id outlives the call.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) == 0 }
}

/// Lets a waiting system call continue, or makes it fail with an error.
pub(crate) fn decide_call(listener: BorrowedFd<'_>, id: u64, error: Option<i32>) {
    let flags = if error.is_none() { libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32 } else { 0 };
    let answer = libc::seccomp_notif_resp { id, val: 0, error: -error.unwrap_or_default(), flags };
    // SAFETY: the structure outlives the call. An error means that the process has exited and needs no
    // answer.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

/// Reads memory of another process, at the address `at` in that process; returns the number of bytes read.
pub(crate) fn memory_of(process: i32, at: u64, into: &mut [u8]) -> io::Result<usize> {
    // The kernel reads each argument as a whole word, so these constants must be as wide as a word.
    const ONE: libc::c_ulong = 1;
    const NO_FLAGS: libc::c_ulong = 0;
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the kernel writes only into the slice, and checks the address in the other process itself.
    let read = unsafe {
        libc::syscall(
            libc::SYS_process_vm_readv,
            process,
            &raw const local,
            ONE,
            &raw const remote,
            ONE,
            NO_FLAGS,
        )
    };
    answer(read).map(|read| read as usize)
}

/// The access rights that a Landlock ruleset handles, as bit masks.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuleRights {
    pub(crate) files: u64,
    pub(crate) network: u64,
    pub(crate) scopes: u64,
}

/// Returns the Landlock version of the kernel.
pub fn landlock_version() -> io::Result<u32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with the flag `VERSION` the kernel reads no structure.
    let version = answer(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<RuleRights>(), 0, VERSION)
    })?;
    Ok(version.cast_unsigned())
}

/// Creates an empty Landlock ruleset.
pub(crate) fn landlock_rules(handled: &RuleRights) -> io::Result<OwnedFd> {
    // Kernels accept a structure that is longer than theirs if its additional bytes are zero. SAFETY: the
    // structure outlives the call, and the returned descriptor is new.
    unsafe {
        let size = size_of::<RuleRights>();
        descriptor(libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::from_ref(handled), size, 0))
    }
}

/// Adds a rule that allows `access` to the path `beneath` and everything below it.
pub(crate) fn landlock_allow(rules: &OwnedFd, beneath: &OwnedFd, access: u64) -> io::Result<()> {
    #[repr(C, packed)]
    struct PathBeneath {
        access: u64,
        parent: i32,
    }
    const PATH_BENEATH: libc::c_uint = 1;
    let rule = PathBeneath { access, parent: beneath.as_raw_fd() };
    // SAFETY: the structure outlives the call.
    answer(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), PATH_BENEATH, &raw const rule, 0)
    })
    .map(|_| ())
}

/// Applies a Landlock ruleset to this process and its descendants.
pub(crate) fn landlock_restrict(rules: &OwnedFd) -> io::Result<()> {
    // SAFETY: the arguments are plain numbers.
    answer(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) }).map(|_| ())
}

fn answer(answer: libc::c_long) -> io::Result<i32> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer as i32) }
}

/// # Safety
///
/// A number that is not negative must be a new descriptor without another owner.
unsafe fn descriptor(number: libc::c_long) -> io::Result<OwnedFd> {
    // SAFETY: the caller promises that the descriptor is new and has no other owner.
    answer(number).map(|number| unsafe { OwnedFd::from_raw_fd(number) })
}
