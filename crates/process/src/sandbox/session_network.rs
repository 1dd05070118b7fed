//! The network of a session: one loopback that all of its confined commands share, and no other program.
//!
//! A forked process makes a user and a network namespace, sends their descriptors to the server, and ends. The namespaces exist as
//! long as the server's descriptors or a command in them, so they end with the server, however it ends.
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

use crate::sandbox::calls;
use crate::sandbox::plan::Network;
use crate::sandbox::script::{listener, own_users, write_users};
use crate::system::{self, ForkSide};

/// The messages of the process that makes a network: a descriptor comes with it, all were sent, or it failed.
const DESCRIPTOR: &[u8] = b"d";
const COMPLETE: &[u8] = b"c";
const FAILED: &[u8] = b"f";

/// The network that the commands of a session share.
#[derive(Debug)]
pub struct SessionNetwork {
    users: OwnedFd,
    network: OwnedFd,
    /// The listener of the commands' proxy, until it is taken.
    listener: Mutex<Option<OwnedFd>>,
}

impl SessionNetwork {
    /// Makes a network with a loopback that is up.
    ///
    /// # Errors
    /// When the system does not let this process make namespaces.
    pub(crate) fn new(kind: Network) -> io::Result<Self> {
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

    /// Joins it, in a forked process that has one thread; allocates nothing.
    pub(crate) fn join(&self) -> io::Result<()> {
        calls::join_namespace(self.users.as_fd(), libc::CLONE_NEWUSER)?;
        calls::join_namespace(self.network.as_fd(), libc::CLONE_NEWNET)
    }

    /// Makes sockets in this network, which the caller connects: so many pairs of an IPv4 and an IPv6 socket. They belong to the
    /// network wherever they are used, and do not block.
    ///
    /// # Errors
    /// When the system has no room for a process or a descriptor.
    pub fn sockets(&self, pairs: usize) -> io::Result<Vec<LoopbackSockets>> {
        let received = in_fork(|to| {
            self.join()?;
            for _ in 0..pairs {
                let version_4 = socket(AddressFamily::INET)?;
                // IPv6 may be turned off.
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

    /// Takes the listener of its commands' proxy, once.
    pub(crate) fn take_listener(&self) -> Option<TcpListener> {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener.take().map(TcpListener::from)
    }
}

/// A pair of sockets in a session's network that are not connected yet.
#[derive(Debug)]
pub struct LoopbackSockets {
    /// Connects to 127.0.0.1.
    pub v4: OwnedFd,
    /// Connects to `::1`; `None` if IPv6 is turned off.
    pub v6: Option<OwnedFd>,
}

/// Lets a forked process do something, and returns the descriptors that it sends. `work` allocates nothing.
fn in_fork(work: impl FnOnce(&OwnedFd) -> io::Result<()>) -> io::Result<Vec<OwnedFd>> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    // SAFETY: the child makes system calls alone, and never comes back.
    let child = match unsafe { system::fork() }? {
        ForkSide::Child => {
            drop(ours);
            let made = work(&theirs);
            // Another process that was forked meanwhile may have the socket, too, so its end alone says nothing.
            let _ = send(&theirs, if made.is_ok() { COMPLETE } else { FAILED }, SendFlags::NOSIGNAL);
            system::exit(i32::from(made.is_err()))
        }
        ForkSide::Parent(child) => child,
    };
    drop(theirs);
    let received = receive(&ours);
    system::wait(child);
    received
}

fn socket(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(family, SocketType::STREAM, flags, None)?)
}

/// Makes the namespaces around this process, and sends them away.
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
        sendmsg(to, &[io::IoSlice::new(DESCRIPTOR)], &mut with, SendFlags::NOSIGNAL)?;
    }
    Ok(())
}

/// Receives descriptors until the message that they are complete.
fn receive(from: &OwnedFd) -> io::Result<Vec<OwnedFd>> {
    let mut received = Vec::new();
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0; 1];
        let mut buffers = [io::IoSliceMut::new(&mut byte)];
        let got = match recvmsg(from, &mut buffers, &mut with, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            got => got?,
        };
        received.extend(with.drain().flat_map(|with| match with {
            RecvAncillaryMessage::ScmRights(descriptors) => descriptors.collect(),
            _ => Vec::new(),
        }));
        match &byte[..got.bytes] {
            DESCRIPTOR => {}
            COMPLETE => return Ok(received),
            FAILED => return Err(io::ErrorKind::PermissionDenied.into()),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
