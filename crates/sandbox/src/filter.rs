//! The system call filter (seccomp): system calls that ordinary programs do not need fail with an error.

use std::collections::BTreeMap;

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JA, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
    c_long, sock_filter,
};

use crate::guarded_calls::{PathEffect, SupervisedCalls, WRITES, attribute_calls, shapes};

/// The sockets that a program may create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sockets {
    /// Local and TCP sockets, because the program has its own network and its own view of the file system.
    Own,
    /// Only socket pairs, because other sockets would reach the host.
    None,
}

/// Handling of system calls that change the mode or the times of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attributes {
    /// The filter allows the calls: files outside the roots cannot be changed anyway, or the supervisor
    /// decides.
    Allowed,
    /// The filter refuses the calls.
    Refused,
}

/// The number of the newest known system call. Calls with higher numbers fail as if they did not exist.
const NEWEST: u32 = 470;

/// System calls of the x32 interface have this bit in their number.
const X32: u32 = 0x4000_0000;

#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const MACHINE: u32 = 0xc000_00f3;

/// Offsets in the filter's input: the number of the system call, the architecture, and the lower halves of
/// the arguments.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// System calls that are refused with any arguments.
const REFUSED: &[c_long] = &[
    // System calls that inspect other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Kernel interfaces with a long history of vulnerabilities.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    // System calls for the user's keys in the kernel.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // System calls that change mounts, the root directory and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    // System calls that affect the whole machine, such as loading kernel modules.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_ON_THIS_MACHINE: &[c_long] =
    &[libc::SYS_kexec_file_load, libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_uselib];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_ON_THIS_MACHINE: &[c_long] = &[];

/// The number of `open_tree_attr`, which the C library's headers do not define yet; it is the same on every
/// machine.
const OPEN_TREE_ATTR: c_long = 467;

/// System calls that are refused if a command shares the host's IPC namespace and its mounts: System V shared
/// memory, POSIX message queues, and changes of ownership, which Landlock does not cover.
const REFUSED_ON_HOST: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    FILE_SETATTR,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_ON_HOST_HERE: &[c_long] = &[libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_ON_HOST_HERE: &[c_long] = &[];

/// System calls that change extended attributes. They fail as on a file system without such attributes, so
/// programs that copy files continue.
const EXTENDED: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
];

/// Numbers of system calls that the C library's headers do not define yet; they are the same on every
/// machine.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

/// `ioctl` requests that set the flags and project number of a file.
const SET_FLAGS: u32 = 0x4008_6602;
const SET_FLAGS_32: u32 = 0x4004_6602;
const SET_EXTENDED_FLAGS: u32 = 0x401c_5820;

/// The flags of `clone` that create namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP)
    .cast_unsigned();

/// The bits of a socket's type, without flags such as `SOCK_CLOEXEC`.
const KIND: u32 = 0xf;

/// The argument with which `personality` returns the current value without changing it.
const ASK_PERSONA: u32 = 0xffff_ffff;

/// Builds the main system call filter of a program.
pub(crate) fn filter(sockets: Sockets, attributes: Attributes) -> Vec<sock_filter> {
    let mut filter = Filter::default();
    filter.load(ARCHITECTURE);
    filter.unless(MACHINE, libc::ENOSYS);
    filter.load(NUMBER);
    filter.at_least(X32, libc::ENOSYS);
    filter.at_least(NEWEST + 1, libc::ENOSYS);
    for call in REFUSED.iter().chain(REFUSED_ON_THIS_MACHINE) {
        filter.when(number(*call), &[refuse(libc::EPERM)]);
    }
    if sockets == Sockets::None {
        filter.on_host();
    }
    if attributes == Attributes::Refused {
        for shape in attribute_calls() {
            filter.when(number(shape.call), &[refuse(libc::EPERM)]);
        }
    }
    // The flags of `clone3` are in memory, which a filter cannot read. If `clone3` fails as if it did not
    // exist, the C library uses `clone`.
    filter.when(number(libc::SYS_clone3), &[refuse(libc::ENOSYS)]);
    filter.when(
        number(libc::SYS_clone),
        &[argument(0), jump(BPF_JSET, NAMESPACES, 0, 1), refuse(libc::EPERM), allow()],
    );
    filter.when(
        number(libc::SYS_ioctl),
        &[
            argument(1),
            jump(BPF_JEQ, libc::TIOCSTI as u32, 1, 0),
            jump(BPF_JEQ, libc::TIOCLINUX as u32, 0, 1),
            refuse(libc::EPERM),
            allow(),
        ],
    );
    filter.when(
        number(libc::SYS_personality),
        &[
            argument(0),
            jump(BPF_JEQ, 0, 1, 0),
            jump(BPF_JEQ, ASK_PERSONA, 0, 1),
            allow(),
            refuse(libc::EPERM),
        ],
    );
    filter.when(number(libc::SYS_socket), &socket_checks(sockets));
    filter.when(
        number(libc::SYS_socketpair),
        &[argument(0), jump(BPF_JEQ, libc::AF_UNIX as u32, 0, 1), allow(), refuse(libc::EAFNOSUPPORT)],
    );
    filter.finish()
}

/// Builds the filter that lets a supervisor decide about the system calls that create or rename entries, truncate files or
/// open them for writing; with [`SupervisedCalls::Removal`], also about those that remove entries, or change modes or times. It is
/// installed in addition to the main filter.
pub(crate) fn creations(extent: SupervisedCalls) -> Vec<sock_filter> {
    let mut filter = Filter::default();
    filter.load(NUMBER);
    if extent == SupervisedCalls::Removal {
        for shape in attribute_calls() {
            filter.when(number(shape.call), &[leave_to_supervisor()]);
        }
    }
    for shape in shapes() {
        if shape.does == PathEffect::Removes && extent != SupervisedCalls::Removal {
            continue;
        }
        match shape.does {
            PathEffect::Opens(flags) => filter.when(
                number(shape.call),
                &[argument(flags), jump(BPF_JSET, WRITES, 0, 1), leave_to_supervisor(), allow()],
            ),
            _ => filter.when(number(shape.call), &[leave_to_supervisor()]),
        }
    }
    filter.finish()
}

/// Returns the checks for the system call `socket`, by its family and its type.
fn socket_checks(sockets: Sockets) -> Vec<sock_filter> {
    match sockets {
        Sockets::None => vec![refuse(libc::EAFNOSUPPORT)],
        Sockets::Own => vec![
            argument(0),
            jump(BPF_JEQ, libc::AF_UNIX as u32, 5, 0),
            jump(BPF_JEQ, libc::AF_INET as u32, 1, 0),
            jump(BPF_JEQ, libc::AF_INET6 as u32, 0, 4),
            argument(1),
            statement(BPF_ALU | BPF_AND | BPF_K, KIND),
            jump(BPF_JEQ, libc::SOCK_STREAM as u32, 0, 1),
            allow(),
            refuse(libc::EAFNOSUPPORT),
        ],
    }
}

/// A filter in progress: the instructions so far, and the checks of single system calls.
#[derive(Default)]
struct Filter {
    instructions: Vec<sock_filter>,
    checks: BTreeMap<u32, Vec<sock_filter>>,
}

/// The maximum number of system calls that are compared one after the other; a longer list is bisected first.
const IN_A_ROW: usize = 4;

impl Filter {
    /// Refuses system calls that reach the host's processes, memory and files. Used if the program has no
    /// namespaces.
    fn on_host(&mut self) {
        for call in REFUSED_ON_HOST.iter().chain(REFUSED_ON_HOST_HERE) {
            self.when(number(*call), &[refuse(libc::EPERM)]);
        }
        for call in EXTENDED {
            self.when(number(*call), &[refuse(libc::EOPNOTSUPP)]);
        }
        // `prlimit64` is allowed only with the PID 0, which means the calling process, because a filter does
        // not know the PID of that process.
        self.when(
            number(libc::SYS_prlimit64),
            &[argument(0), jump(BPF_JEQ, 0, 0, 1), allow(), refuse(libc::EPERM)],
        );
        self.when(
            number(libc::SYS_ioctl),
            &[
                argument(1),
                jump(BPF_JEQ, SET_FLAGS, 5, 0),
                jump(BPF_JEQ, SET_FLAGS_32, 4, 0),
                jump(BPF_JEQ, SET_EXTENDED_FLAGS, 3, 0),
                jump(BPF_JEQ, libc::TIOCSTI as u32, 2, 0),
                jump(BPF_JEQ, libc::TIOCLINUX as u32, 1, 0),
                allow(),
                refuse(libc::EPERM),
            ],
        );
    }

    fn load(&mut self, at: u32) {
        self.instructions.push(statement(BPF_LD | BPF_W | BPF_ABS, at));
    }

    /// Fails the system call unless the loaded value equals `wanted`.
    fn unless(&mut self, wanted: u32, errno: i32) {
        self.instructions.extend([jump(BPF_JEQ, wanted, 1, 0), refuse(errno)]);
    }

    /// Fails the system call if the loaded value is at least `least`.
    fn at_least(&mut self, least: u32, errno: i32) {
        self.instructions.extend([jump(BPF_JGE, least, 0, 1), refuse(errno)]);
    }

    /// Runs the checks `decided` for the system call with the number `call`, unless it has checks already; each path
    /// through the checks must end with a decision.
    fn when(&mut self, call: u32, decided: &[sock_filter]) {
        self.checks.entry(call).or_insert_with(|| decided.to_owned());
    }

    /// Returns the instructions. They find the checks of a system call by bisection, because the kernel runs the filter
    /// for every number when it is installed, and before each system call.
    fn finish(mut self) -> Vec<sock_filter> {
        let checks: Vec<_> = self.checks.into_iter().collect();
        self.instructions.extend(bisection(&checks));
        self.instructions
    }
}

/// Returns instructions that run the checks of the loaded number, and allow a number that has none.
fn bisection(checks: &[(u32, Vec<sock_filter>)]) -> Vec<sock_filter> {
    let mut instructions = Vec::new();
    if checks.len() <= IN_A_ROW {
        for (call, decided) in checks {
            let past = u8::try_from(decided.len()).unwrap_or(u8::MAX);
            instructions.push(jump(BPF_JEQ, *call, 0, past));
            instructions.extend_from_slice(decided);
        }
        instructions.push(allow());
        return instructions;
    }
    let (lower, upper) = checks.split_at(checks.len() / 2);
    let (first, lower, upper) = (upper[0].0, bisection(lower), bisection(upper));
    let past = u32::try_from(lower.len()).unwrap_or(u32::MAX);
    // Only the unconditional jump reaches far enough.
    instructions.extend([jump(BPF_JGE, first, 0, 1), statement(BPF_JMP | BPF_JA, past)]);
    instructions.extend(lower);
    instructions.extend(upper);
    instructions
}

fn number(call: c_long) -> u32 {
    call as u32
}

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

fn jump(test: u32, k: u32, yes: u8, no: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | test | BPF_K) as u16, jt: yes, jf: no, k }
}

fn argument(place: u32) -> sock_filter {
    // All values with which an argument is compared fit in its lower half.
    let little_end = if cfg!(target_endian = "big") { 4 } else { 0 };
    statement(BPF_LD | BPF_W | BPF_ABS, ARGUMENTS + place * 8 + little_end)
}

fn allow() -> sock_filter {
    statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW)
}

fn leave_to_supervisor() -> sock_filter {
    statement(BPF_RET | BPF_K, libc::SECCOMP_RET_USER_NOTIF)
}

fn refuse(errno: i32) -> sock_filter {
    statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolpost_test_rows::each;

    /// Evaluates the filter for a system call as the kernel does.
    fn decide(filter: &[sock_filter], call: c_long, arguments: impl AsRef<[u32]>) -> u32 {
        let (mut at, mut loaded) = (0, 0);
        loop {
            let now = filter[at];
            at += 1;
            let code = u32::from(now.code);
            match code & 7 {
                0 => {
                    loaded = match now.k {
                        NUMBER => call as u32,
                        ARCHITECTURE => MACHINE,
                        at => arguments.as_ref()[((at - ARGUMENTS) / 8) as usize],
                    }
                }
                4 => loaded &= now.k,
                5 => {
                    if code & 0xf0 == BPF_JA {
                        at += now.k as usize;
                        continue;
                    }
                    let holds = match code & 0xf0 {
                        BPF_JEQ => loaded == now.k,
                        BPF_JGE => loaded >= now.k,
                        _ => loaded & now.k != 0,
                    };
                    at += usize::from(if holds { now.jt } else { now.jf });
                }
                _ => return now.k,
            }
        }
    }

    #[test]
    fn each_refused_call_is_found_by_bisection() {
        let own = filter(Sockets::Own, Attributes::Allowed);
        let refused: Vec<c_long> = REFUSED.iter().chain(REFUSED_ON_THIS_MACHINE).copied().collect();
        let with_checks = [
            libc::SYS_clone3,
            libc::SYS_clone,
            libc::SYS_ioctl,
            libc::SYS_personality,
            libc::SYS_socket,
            libc::SYS_socketpair,
        ];
        for call in (0..=c_long::from(NEWEST)).filter(|call| !with_checks.contains(call)) {
            let wanted = if refused.contains(&call) {
                libc::SECCOMP_RET_ERRNO | libc::EPERM as u32
            } else {
                libc::SECCOMP_RET_ALLOW
            };
            assert_eq!(decide(&own, call, [0, 0]), wanted, "{call}");
        }
        let looked_at: Vec<c_long> =
            shapes().filter(|shape| shape.does != PathEffect::Removes).map(|shape| shape.call).collect();
        let creations = creations(SupervisedCalls::Creation);
        for call in 0..=c_long::from(NEWEST) {
            let is_left = decide(&creations, call, [u32::MAX; 3]) == libc::SECCOMP_RET_USER_NOTIF;
            assert_eq!(is_left, looked_at.contains(&call), "{call}");
        }
    }

    #[test]
    fn system_calls_are_allowed_or_refused() {
        let (yes, no) = (libc::SECCOMP_RET_ALLOW, |errno: i32| libc::SECCOMP_RET_ERRNO | errno as u32);
        let (not_permitted, unknown, family) = (no(libc::EPERM), no(libc::ENOSYS), no(libc::EAFNOSUPPORT));
        let own = filter(Sockets::Own, Attributes::Allowed);
        let none = filter(Sockets::None, Attributes::Refused);
        let (unix, inet, inet6) = (libc::AF_UNIX as u32, libc::AF_INET as u32, libc::AF_INET6 as u32);
        let (stream, datagram, raw) =
            (libc::SOCK_STREAM as u32, libc::SOCK_DGRAM as u32, libc::SOCK_RAW as u32);
        let cloexec = libc::SOCK_CLOEXEC as u32;
        let rows: &[(c_long, [u32; 2], u32, u32)] = &[
            (libc::SYS_read, [0, 0], yes, yes),
            (libc::SYS_execve, [0, 0], yes, yes),
            (libc::SYS_ptrace, [0, 0], not_permitted, not_permitted),
            (libc::SYS_io_uring_setup, [8, 0], not_permitted, not_permitted),
            (libc::SYS_mount, [0, 0], not_permitted, not_permitted),
            (libc::SYS_setdomainname, [0, 0], not_permitted, not_permitted),
            (libc::SYS_clone3, [0, 0], unknown, unknown),
            (libc::SYS_prlimit64, [0, 7], yes, yes),
            (libc::SYS_prlimit64, [1, 7], yes, not_permitted),
            (libc::SYS_shmget, [0, 0], yes, not_permitted),
            (libc::SYS_fchownat, [0, 0], yes, not_permitted),
            (libc::SYS_fsetxattr, [0, 0], yes, no(libc::EOPNOTSUPP)),
            (libc::SYS_fchmod, [0, 0], yes, not_permitted),
            (libc::SYS_utimensat, [0, 0], yes, not_permitted),
            (libc::SYS_ioctl, [0, SET_FLAGS], yes, not_permitted),
            (libc::SYS_ioctl, [0, SET_EXTENDED_FLAGS], yes, not_permitted),
            (libc::SYS_clone, [libc::SIGCHLD as u32, 0], yes, yes),
            (libc::SYS_clone, [libc::CLONE_NEWUSER as u32, 0], not_permitted, not_permitted),
            (libc::SYS_ioctl, [0, libc::TIOCGWINSZ as u32], yes, yes),
            (libc::SYS_ioctl, [0, libc::TIOCSTI as u32], not_permitted, not_permitted),
            (libc::SYS_ioctl, [0, libc::TIOCLINUX as u32], not_permitted, not_permitted),
            (libc::SYS_personality, [0, 0], yes, yes),
            (libc::SYS_personality, [ASK_PERSONA, 0], yes, yes),
            (libc::SYS_personality, [0x0040_0000, 0], not_permitted, not_permitted),
            (libc::SYS_socket, [unix, stream], yes, family),
            (libc::SYS_socket, [unix, datagram | cloexec], yes, family),
            (libc::SYS_socket, [inet, stream | cloexec], yes, family),
            (libc::SYS_socket, [inet6, stream], yes, family),
            (libc::SYS_socket, [inet, datagram], family, family),
            (libc::SYS_socket, [inet6, raw], family, family),
            (libc::SYS_socket, [libc::AF_NETLINK as u32, raw], family, family),
            (libc::SYS_socket, [libc::AF_VSOCK as u32, stream], family, family),
            (libc::SYS_socketpair, [unix, stream], yes, yes),
            (libc::SYS_socketpair, [inet, stream], family, family),
            (471, [0, 0], unknown, unknown),
            (c_long::from(X32), [0, 0], unknown, unknown),
        ];
        each(rows, |(call, arguments, with_own, without)| {
            let got = (decide(&own, *call, *arguments), decide(&none, *call, *arguments));
            assert_eq!(got, (*with_own, *without), "{call} {arguments:?}");
        });
    }
}
