//! Decisions about accesses, of every kind.

use crate::{
    access::{
        Access, Touch,
        command::{Approval, Command},
    },
    command::{self, Explained},
    decision::{Decision, Judgement, Lifted},
    policy::Policy,
};

impl Policy {
    /// Judges one touch.
    #[must_use]
    pub fn judge(&self, touch: &Touch) -> Judgement {
        let judged = match touch {
            Touch::Read(path) => self.judge_path(Access::Reads, path),
            Touch::Write(path, _) => self.judge_path(Access::Writes, path),
            Touch::Execute(command) => self.judge_command(command),
            Touch::Fetch(host) => self.judge_fetch(host),
            Touch::Consult(host) => self.judge_service(host),
            Touch::Bridge(tool) => self.judge_tool(tool),
            Touch::Delegate(agent) => self.judge_agent(agent),
            Touch::Editor(act) => self.judge_editor(touch, *act),
        };
        self.with_lapsed(touch, judged)
    }

    /// Explains the effects of a command, and the rule that decides each part.
    #[must_use]
    pub fn explain(&self, command: &Command) -> Explained {
        self.explain_lapsed(command, command::explain(self, command))
    }

    fn judge_command(&self, command: &Command) -> Judgement {
        let explained = self.explain(command);
        if explained.decision == Decision::Allow && command.approval == Approval::Wanted {
            return Judgement { decision: Decision::Ask, why: WANTED.to_owned(), lifted: Lifted::ByNothing };
        }
        let lifted = if explained.fixed() { Lifted::ByNothing } else { Lifted::ByRule };
        Judgement { decision: explained.decision, why: explained.reason(), lifted }
    }
}

const WANTED: &str = "the call itself requires approval; without that, the rules would allow it";
