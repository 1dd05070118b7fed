//! The locks that a process puts on itself just before it executes a program, and never gets off again.

use std::io;

use libc::sock_filter;
use rustix::process::{Resource, Rlimit};

use crate::sandbox::calls;
use crate::sandbox::filter::{Attributes, Sockets, filter};
use crate::sandbox::rules::Rules;
use crate::sandbox::script::Stop;

/// No rights, no way to new ones, the rules of Landlock, and the filter of system calls.
#[derive(Debug)]
pub(crate) struct Locks {
    rules: Option<Rules>,
    filter: Vec<sock_filter>,
}

const RIGHTS: u16 = u16::MAX - 10;
const RULES: u16 = u16::MAX - 11;
const FILTER: u16 = u16::MAX - 12;

impl Locks {
    /// Makes the locks; without rules where the kernel has no Landlock.
    pub(crate) fn new(rules: Option<Rules>, sockets: Sockets, attributes: Attributes) -> Self {
        Self { rules, filter: filter(sockets, attributes) }
    }

    /// Locks this process; allocates nothing.
    pub(crate) fn close(&self) -> Result<(), Stop> {
        let at = |part: u16| move |fault: io::Error| Stop { part, fault };
        // A limit that cannot be set is that of a system which writes no such files anyway.
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(Resource::Core, none);
        calls::drop_capabilities().map_err(at(RIGHTS))?;
        calls::no_new_privileges().map_err(at(RIGHTS))?;
        if let Some(rules) = &self.rules {
            rules.enforce().map_err(at(RULES))?;
        }
        calls::filter_calls(&self.filter).map_err(at(FILTER))
    }

    /// Describes the failure of a part; `None` if the part is not one of these.
    pub(crate) fn words(part: u16) -> Option<&'static str> {
        match part {
            RIGHTS => Some("its rights could not be taken"),
            RULES => Some("the Landlock rules were not taken"),
            FILTER => Some("the filter of system calls was not taken"),
            _ => None,
        }
    }
}
