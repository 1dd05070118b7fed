//! Decisions of the policy about accesses of every kind.

use crate::{
    access::{
        Access, Touch,
        command::{Approval, Command},
    },
    command::{self, CommandExplanation},
    decision::{Decision, DecisionOverride, Judgement},
    policy::Policy,
    reach::OutsidePaths,
};
use toolpost_text::duplicates::remove_duplicates;

impl Policy {
    /// Decides about one access: allow, ask or deny.
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
        self.with_changed_rules(touch, judged)
    }

    /// Explains the effects of a command, and the rule that decides about each part.
    #[must_use]
    pub fn explain(&self, command: &Command) -> CommandExplanation {
        self.explain_changed_rules(command, command::explain(self, command))
    }

    /// Lists the paths outside the roots that an allowed command names.
    #[must_use]
    pub fn outside_paths(&self, command: &Command) -> OutsidePaths {
        command::outside_paths(self, command)
    }

    /// Describes the network access that a command needs and no rule allows, for a command that failed or ran out of time. Programs
    /// often retry a connection for longer than the time limit of the call, and print nothing until they give up.
    #[must_use]
    pub fn unmet_network(&self, command: &Command) -> Vec<String> {
        let mut needs: Vec<String> =
            self.explain(command).segments.into_iter().filter_map(|segment| segment.network_reason).collect();
        remove_duplicates(&mut needs);
        needs
    }

    fn judge_command(&self, command: &Command) -> Judgement {
        let explained = self.explain(command);
        if explained.decision == Decision::Allow && command.approval == Approval::Wanted {
            return Judgement {
                decision: Decision::Ask,
                why: WANTED.to_owned(),
                lifted: DecisionOverride::ByNothing,
            };
        }
        let lifted = if explained.fixed() { DecisionOverride::ByNothing } else { DecisionOverride::ByRule };
        Judgement { decision: explained.decision, why: explained.reason(), lifted }
    }
}

const WANTED: &str = "the call itself requires approval; without that, the rules would allow it";
