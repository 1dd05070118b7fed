//! The network of a session: one loopback interface that only the confined commands of the session share.
//!
//! A forked process creates a user and a network namespace, sends their descriptors to the server, and exits.
//! The namespaces exist as long as the server has the descriptors open or a command runs in them. So they
//! disappear with the server, even if it is killed.
#![expect(unsafe_code, reason = "namespaces have no safe interface")]

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socket_with,
    socketpair, sockopt::socket_domain,
};

use crate::calls;
use crate::fork::{self, ForkSide};
use crate::plan::Network;
use crate::script::{listener, own_users, write_users};

/// Kinds of messages from the process that creates a network: a descriptor, the report that all descriptors
/// were sent, or a failure with its `errno`.
const DESCRIPTOR: u8 = b'd';
const COMPLETE: u8 = b'c';
const FAILED: u8 = b'f';

/// The network namespace that the commands of a session share.
#[derive(Debug)]
pub struct SessionNetwork {
    users: OwnedFd,
    network: OwnedFd,
    /// The listener for the proxy of the session's commands; `None` without a proxy, or after it was taken.
    listener: Mutex<Option<OwnedFd>>,
}

impl SessionNetwork {
    /// Creates a network namespace with an active loopback interface.
    ///
    /// # Errors
    ///
    /// If the system does not allow this process to create namespaces, or has reached a limit.
    pub fn new(kind: Network) -> io::Result<Self> {
        let users = own_users();
        let mut descriptors = in_fork(|to| make(kind, &users, to))?.into_iter();
        match (descriptors.next(), descriptors.next()) {
            (Some(users), Some(network)) => {
                let listener = Mutex::new(descriptors.next());
                Ok(Self { users, network, listener })
            }
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Moves this process into the session's network. The process must be a fork with one thread. Allocates
    /// nothing.
    pub fn join(&self) -> io::Result<()> {
        calls::join_namespace(self.users.as_fd(), libc::CLONE_NEWUSER)?;
        calls::join_namespace(self.network.as_fd(), libc::CLONE_NEWNET)
    }

    /// Creates pairs of an IPv4 and an IPv6 socket in the session's network, for the caller to connect. The
    /// sockets are non-blocking, and stay in that network regardless of the process that uses them.
    ///
    /// # Errors
    ///
    /// If the system cannot create a process or a descriptor.
    pub fn sockets(&self, pairs: usize) -> io::Result<Vec<LoopbackSockets>> {
        let received = in_fork(|to| {
            self.join()?;
            for _ in 0..pairs {
                let version_4 = socket(AddressFamily::INET)?;
                // IPv6 may be turned off on this machine.
                let version_6 = socket(AddressFamily::INET6).ok();
                hand_over(to, &[Some(&version_4), version_6.as_ref()])?;
            }
            Ok(())
        })?;
        let mut sockets: Vec<LoopbackSockets> = Vec::with_capacity(pairs);
        for socket in received {
            match (socket_domain(&socket)?, sockets.last_mut()) {
                (AddressFamily::INET, _) => sockets.push(LoopbackSockets { v4: socket, v6: None }),
                (_, Some(last)) => last.v6 = Some(socket),
                (_, None) => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(sockets)
    }

    /// Takes the listener for the proxy of the session's commands; `None` if it was already taken or does not
    /// exist.
    pub fn take_listener(&self) -> Option<TcpListener> {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener.take().map(TcpListener::from)
    }
}

/// A pair of sockets in a session's network that are not connected yet.
#[derive(Debug)]
pub struct LoopbackSockets {
    /// The IPv4 socket, to connect to 127.0.0.1.
    pub v4: OwnedFd,
    /// The IPv6 socket, to connect to `::1`; `None` if IPv6 is turned off.
    pub v6: Option<OwnedFd>,
}

/// Runs `work` in a forked process, and returns the descriptors that it sends. `work` must not allocate.
fn in_fork(work: impl FnOnce(&OwnedFd) -> io::Result<()>) -> io::Result<Vec<OwnedFd>> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    // SAFETY: the child only makes system calls, and never returns.
    let child = match unsafe { fork::fork() }? {
        ForkSide::Child => {
            drop(ours);
            let result = work(&theirs);
            // Another process that was forked in the meantime may also have the socket open, so the end of
            // the stream does not show that the work is done: a final message reports that.
            let errno = result.as_ref().err().map(|fault| fault.raw_os_error().unwrap_or(libc::EPERM));
            let [a, b, c, d] = errno.unwrap_or_default().to_le_bytes();
            let message = [if result.is_ok() { COMPLETE } else { FAILED }, a, b, c, d];
            let _ = send(&theirs, &message, SendFlags::NOSIGNAL);
            fork::exit(i32::from(result.is_err()))
        }
        ForkSide::Parent(child) => child,
    };
    drop(theirs);
    let received = receive(&ours);
    fork::wait(child);
    received
}

fn socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(family, SocketType::STREAM, flags, None)?)
}

/// Moves this process into new user and network namespaces. Sends their descriptors, and the proxy's listener if
/// there is one, to the server.
fn make(kind: Network, users: &[(CString, CString); 3], to: &OwnedFd) -> io::Result<()> {
    calls::new_network()?;
    write_users(users)?;
    calls::loopback_up()?;
    let listening = match kind {
        Network::Closed => None,
        Network::Proxied => Some(listener()?),
    };
    let open = |path| openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let (users, network) = (open(c"/proc/self/ns/user")?, open(c"/proc/self/ns/net")?);
    Ok(hand_over(to, &[Some(&users), Some(&network), listening.as_ref()])?)
}

fn hand_over(to: &OwnedFd, descriptors: &[Option<&OwnedFd>]) -> Result<(), Errno> {
    for descriptor in descriptors.iter().flatten() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        let one = [descriptor.as_fd()];
        with.push(SendAncillaryMessage::ScmRights(&one));
        sendmsg(to, &[io::IoSlice::new(&[DESCRIPTOR])], &mut with, SendFlags::NOSIGNAL)?;
    }
    Ok(())
}

/// Receives descriptors until a message reports that all of them were sent.
fn receive(from: &OwnedFd) -> io::Result<Vec<OwnedFd>> {
    let mut received = Vec::new();
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = RecvAncillaryBuffer::new(&mut space);
        let mut message = [0; 5];
        let mut buffers = [io::IoSliceMut::new(&mut message)];
        let got = match recvmsg(from, &mut buffers, &mut with, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            got => got?,
        };
        received.extend(with.drain().flat_map(|with| match with {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        }));
        match (message, got.bytes) {
            ([DESCRIPTOR, ..], 1) => {}
            ([COMPLETE, ..], 5) => return Ok(received),
            ([FAILED, errno @ ..], 5) => {
                return Err(io::Error::from_raw_os_error(i32::from_le_bytes(errno)));
            }
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
