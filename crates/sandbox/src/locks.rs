//! Restrictions that a process applies to itself just before it executes a program, and that cannot be
//! lifted.

use std::io;

use libc::sock_filter;
use rustix::process::{Resource, Rlimit};

use crate::calls;
use crate::filter::{Attributes, Sockets, filter};
use crate::rules::Rules;
use crate::script::StepFailure;

/// The last restrictions of a process: dropped privileges that cannot be gained again, the Landlock rules,
/// and the system call filter.
#[derive(Debug)]
pub struct Locks {
    rules: Option<Rules>,
    filter: Vec<sock_filter>,
}

const RIGHTS: u16 = u16::MAX - 10;
const RULES: u16 = u16::MAX - 11;
const FILTER: u16 = u16::MAX - 12;

impl Locks {
    /// Creates the restrictions. `rules` is `None` if the kernel has no Landlock.
    pub fn new(rules: Option<Rules>, sockets: Sockets, attributes: Attributes) -> Self {
        Self { rules, filter: filter(sockets, attributes) }
    }

    /// Applies the restrictions to this process; allocates nothing.
    pub fn close(&self) -> Result<(), StepFailure> {
        let at = |part: u16| move |fault: io::Error| StepFailure { part, fault };
        // The command writes no core dumps. An error is ignored, because no other restriction depends on this limit.
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(Resource::Core, none);
        calls::drop_capabilities().map_err(at(RIGHTS))?;
        calls::no_new_privileges().map_err(at(RIGHTS))?;
        if let Some(rules) = &self.rules {
            rules.enforce().map_err(at(RULES))?;
        }
        calls::filter_calls(&self.filter).map_err(at(FILTER))
    }

    /// Describes the failure of the restriction with this number; `None` if the number belongs to another
    /// step of the sandbox.
    pub(crate) fn words(part: u16) -> Option<&'static str> {
        match part {
            RIGHTS => Some("the command's privileges could not be dropped"),
            RULES => Some("the Landlock rules were not accepted"),
            FILTER => Some("the system call filter was not accepted"),
            _ => None,
        }
    }
}
