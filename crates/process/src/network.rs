//! The network of a session: one loopback that all of its confined commands share, and nobody else.
//!
//! A forked process makes a user and a network namespace, sends their descriptors to the server, and ends. The namespaces live as
//! long as the server's descriptors or a command in them: whatever ends the server ends them, too.
#![expect(unsafe_code, reason = "namespaces have no safe interface")]

use std::collections::HashMap;
use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socketpair,
};

use crate::jobs::SessionKey;
use crate::sandbox::{Network, calls, listener, own_users, write_users};
use crate::system::{self, Forked};

/// The namespaces of a session's network.
#[derive(Debug)]
pub(crate) struct SessionNetwork {
    users: OwnedFd,
    network: OwnedFd,
    /// What listens for the commands' proxy, until somebody takes it.
    listener: Mutex<Option<OwnedFd>>,
}

/// The networks of a server's sessions. Commands with a proxy and commands without one do not share a network.
#[derive(Debug, Default)]
pub(crate) struct Networks {
    made: Mutex<HashMap<(SessionKey, Network), Option<Arc<SessionNetwork>>>>,
}

impl Networks {
    /// Returns the network of a session, and makes it for its first command; nothing where the system does not let us make one.
    pub(crate) fn of(&self, session: &SessionKey, kind: Network) -> Option<Arc<SessionNetwork>> {
        let mut made = self.lock();
        let entry = made.entry((session.clone(), kind));
        entry.or_insert_with(|| SessionNetwork::new(kind).ok().map(Arc::new)).clone()
    }

    /// Returns the network of a session that was made before.
    pub(crate) fn find(&self, session: &SessionKey, kind: Network) -> Option<Arc<SessionNetwork>> {
        self.lock().get(&(session.clone(), kind)).cloned().flatten()
    }

    /// Forgets the networks of a session.
    pub(crate) fn forget(&self, session: &SessionKey) {
        self.lock().retain(|(other, _), _| other != session);
    }

    /// Forgets all.
    pub(crate) fn forget_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(SessionKey, Network), Option<Arc<SessionNetwork>>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionNetwork {
    /// Makes a network with a loopback that is up.
    ///
    /// # Errors
    /// When the system does not let this process make namespaces.
    fn new(kind: Network) -> io::Result<Self> {
        let users = own_users();
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        // SAFETY: the child makes system calls alone, and never comes back.
        let child = match unsafe { system::fork() }? {
            Forked::Child => {
                drop(ours);
                let made = make(kind, &users, &theirs);
                system::exit(i32::from(made.is_err()))
            }
            Forked::Parent(child) => child,
        };
        drop(theirs);
        let received = receive(&ours);
        system::wait(child);
        let mut descriptors = received?.into_iter();
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

    /// Takes what listens for the proxy of its commands, once.
    pub(crate) fn take_listener(&self) -> Option<TcpListener> {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener.take().map(TcpListener::from)
    }
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
    Ok(hand_all(to, &[Some(&users), Some(&network), listening.as_ref()])?)
}

fn hand_all(to: &OwnedFd, descriptors: &[Option<&OwnedFd>]) -> Result<(), Errno> {
    for descriptor in descriptors.iter().flatten() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut with = SendAncillaryBuffer::new(&mut space);
        let one = [descriptor.as_fd()];
        with.push(SendAncillaryMessage::ScmRights(&one));
        sendmsg(to, &[io::IoSlice::new(b"d")], &mut with, SendFlags::NOSIGNAL)?;
    }
    // An empty end says that this was all.
    send(to, b"e", SendFlags::NOSIGNAL).map(drop)
}

/// Receives descriptors until it is said that these were all.
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
        match (got.bytes, byte) {
            (1, [b'e']) => return Ok(received),
            (1, _) => {}
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
