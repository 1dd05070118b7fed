//! The readiness of a server, derived from its messages.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{KnownServer, Signal};

/// Time without progress messages after which the server's work counts as finished. Before that, further progress
/// may begin.
const SETTLE: Duration = Duration::from_millis(300);
/// Time after `initialize` within which the first progress is expected to begin.
const GRACE: Duration = Duration::from_secs(4);

/// The completeness of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complete {
    /// The answer is complete.
    Yes,
    /// The answer is, or may be, incomplete: something is known to be missing or not read yet.
    No,
    /// The completeness is unknown.
    Unknown,
}

/// The progress of a server in reading the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The server was started, and has not answered `initialize` yet.
    Starting,
    /// The server reads the project; the value is the percentage, if the server reports it.
    Indexing(Option<u8>),
    /// The project has been read.
    Ready,
    /// It is unknown whether the server has read the project, or the answer is known to be incomplete.
    Unconfirmed,
    /// The server reports that it could not read the project.
    Degraded,
    /// The server has ended.
    Dead,
}

/// The progress of a server in reading the project, the completeness of its answers, and the reason for both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReadiness {
    /// The progress of the server in reading the project.
    pub stage: Stage,
    /// The completeness of an answer given now.
    pub complete: Complete,
    /// The reason for the values of `stage` and `complete`, in a few words.
    pub why: String,
}

/// The state that the messages of one server report.
#[derive(Debug)]
pub(crate) struct Readiness {
    signal: Signal,
    cap: Duration,
    partial: Option<String>,
    greeted: Option<Instant>,
    open: BTreeMap<String, Progress>,
    /// The time at which the last progress ended, if `signal` depends on that progress.
    ended: Option<Instant>,
    status: Option<Status>,
    /// Set if the server has reported that it is working.
    was_busy: bool,
    dead: Option<(String, Instant)>,
}

#[derive(Debug)]
struct Progress {
    title: String,
    percent: Option<u8>,
}

/// The health that a server reports.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Status {
    Busy,
    Idle,
    Broken(String),
}

impl ServerReadiness {
    /// Returns the readiness for an answer that contains everything that is known to exist. Such an answer counts as
    /// complete if the server never reports its state.
    #[must_use]
    pub fn held(self, known: &KnownServer) -> Self {
        if (known.signal, self.stage, self.complete)
            != (Signal::Nothing, Stage::Unconfirmed, Complete::Unknown)
        {
            return self;
        }
        let why = "the server's answer contains everything that is known to exist".to_owned();
        Self { stage: Stage::Ready, complete: Complete::Yes, why }
    }

    /// Returns the readiness for an answer that is known to be incomplete, for the reason `why`. If the answer was
    /// already incomplete for another reason, keeps that reason.
    #[must_use]
    pub fn lacking(self, why: String) -> Self {
        match self.complete {
            Complete::No => self,
            Complete::Yes | Complete::Unknown => {
                Self { stage: Stage::Unconfirmed, complete: Complete::No, why }
            }
        }
    }
}

impl Readiness {
    pub(crate) fn new(known: &KnownServer, partial: Option<String>) -> Self {
        Self {
            signal: known.signal,
            cap: known.cap,
            partial: known.partial.map(str::to_owned).or(partial),
            greeted: None,
            open: BTreeMap::new(),
            ended: None,
            status: None,
            was_busy: false,
            dead: None,
        }
    }

    /// Records the answer to `initialize`.
    pub(crate) fn greeted(&mut self, now: Instant) {
        self.greeted = Some(now);
    }

    /// Records the exit of the server, with a description.
    pub(crate) fn died(&mut self, how: String, now: Instant) {
        self.dead.get_or_insert((how, now));
    }

    /// Returns the time at which the server exited; `None` while it runs.
    pub(crate) fn dead_since(&self) -> Option<Instant> {
        self.dead.as_ref().map(|(_, when)| *when)
    }

    /// Processes a notification of the server.
    pub(crate) fn hear(&mut self, method: &str, params: &Value, now: Instant) {
        match method {
            "$/progress" => self.progress(params, now),
            "experimental/serverStatus" => {
                let quiescent = params.get("quiescent").and_then(Value::as_bool);
                let broken = params.get("health").and_then(Value::as_str) == Some("error");
                let message =
                    params.get("message").and_then(Value::as_str).unwrap_or("the server gave no reason");
                self.was_busy |= quiescent == Some(false);
                self.status = Some(match quiescent {
                    Some(false) => Status::Busy,
                    _ if broken => Status::Broken(message.to_owned()),
                    _ => Status::Idle,
                });
            }
            "language/status" => {
                let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
                match params.get("type").and_then(Value::as_str) {
                    Some("ServiceReady") => self.status = Some(Status::Idle),
                    Some("Error") => self.status = Some(Status::Broken(message.to_owned())),
                    Some("Starting") => self.status = Some(Status::Busy),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Derives the readiness at the time `now`.
    pub(crate) fn judge(&self, now: Instant) -> ServerReadiness {
        let standing = |stage, complete, why: &str| ServerReadiness { stage, complete, why: why.to_owned() };
        if let Some((how, _)) = &self.dead {
            return standing(Stage::Dead, Complete::No, how);
        }
        let Some(greeted) = self.greeted else {
            return standing(Stage::Starting, Complete::No, "the server has not answered `initialize` yet");
        };
        if let Some(Status::Broken(why)) = &self.status {
            return standing(Stage::Degraded, Complete::No, &format!("the server reports: {why}"));
        }
        let error = self.open.values().find(|progress| progress.title.to_lowercase().starts_with("error"));
        if let Some(progress) = error {
            return standing(
                Stage::Degraded,
                Complete::No,
                &format!("the server reports: {}", progress.title),
            );
        }
        let age = now.saturating_duration_since(greeted);
        let unconfirmed = |why: &str| match &self.partial {
            Some(partial) => standing(Stage::Unconfirmed, Complete::No, partial),
            None => standing(Stage::Unconfirmed, Complete::Unknown, why),
        };
        match self.ready(age, now) {
            Ready::Yes(why) => match &self.partial {
                Some(partial) => standing(Stage::Ready, Complete::No, partial),
                None => standing(Stage::Ready, Complete::Yes, why),
            },
            Ready::Open(why) => unconfirmed(why),
            Ready::No(why) if age >= self.cap => {
                unconfirmed(&format!("after {} s, {why}", self.cap.as_secs()))
            }
            Ready::No(why) => standing(Stage::Indexing(self.percent()), Complete::No, &why),
        }
    }

    /// Checks whether the server has read the project. Ignores `partial`, the known gaps, which the caller applies.
    fn ready(&self, age: Duration, now: Instant) -> Ready {
        let quiet = |ended: Instant| now.saturating_duration_since(ended) >= SETTLE;
        let counts = |token: &String| !matches!(self.signal, Signal::Token(wanted) if wanted != token);
        let busy = self.open.iter().find(|(token, _)| counts(token)).map(|(_, progress)| progress);
        let doing = |progress: &Progress| match progress.percent {
            Some(percent) => format!("the server is busy: {} ({percent} %)", progress.title),
            None => format!("the server is busy: {}", progress.title),
        };
        match (self.signal, busy, self.ended) {
            (Signal::Answers, ..) => Ready::Yes("the server answers only after it has read the project"),
            (Signal::Nothing, ..) => Ready::Open("the server never reports when it has read the project"),
            (Signal::Status, ..) => match &self.status {
                Some(Status::Idle) if self.was_busy => Ready::Yes("the server reports that it is idle"),
                _ => Ready::No(busy.map_or_else(
                    || "the server has not reported that it has loaded the project".to_owned(),
                    doing,
                )),
            },
            (Signal::Service, ..) => match &self.status {
                Some(Status::Idle) => Ready::Yes("the server reports that its service is ready"),
                _ => Ready::No(busy.map_or_else(
                    || "the server has not reported that its service is ready".to_owned(),
                    doing,
                )),
            },
            (_, Some(progress), _) => Ready::No(doing(progress)),
            (_, None, Some(ended)) if quiet(ended) => Ready::Yes("the server's work has finished"),
            (_, None, Some(_)) => Ready::No("the server's work has just finished".to_owned()),
            (_, None, None) if age >= GRACE => {
                Ready::Open("the server has not reported any progress in reading the project")
            }
            (_, None, None) => {
                Ready::No("the server has not yet reported any progress in reading the project".to_owned())
            }
        }
    }

    fn percent(&self) -> Option<u8> {
        self.open.values().filter_map(|progress| progress.percent).min()
    }

    fn progress(&mut self, params: &Value, now: Instant) {
        let Some(token) = params.get("token") else { return };
        let token = token.as_str().map_or_else(|| token.to_string(), str::to_owned);
        let Some(value) = params.get("value") else { return };
        let percent = value.get("percentage").and_then(Value::as_f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the value is between 0 and 100"
        )]
        let percent = percent.map(|percent| percent.clamp(0.0, 100.0) as u8);
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") => {
                let title = value.get("title").and_then(Value::as_str).unwrap_or("at work").to_owned();
                self.open.insert(token, Progress { title, percent });
            }
            Some("report") => {
                if let Some(open) = self.open.get_mut(&token) {
                    open.percent = percent.or(open.percent);
                }
            }
            Some("end") => {
                let counts = !matches!(self.signal, Signal::Token(wanted) if wanted != token);
                if self.open.remove(&token).is_some() && counts {
                    self.ended = Some(now);
                }
            }
            _ => {}
        }
    }
}

enum Ready {
    Yes(&'static str),
    No(String),
    Open(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KNOWN, KnownServer};
    use serde_json::json;
    use toolpost_test_rows::each;

    fn known(name: &str) -> &'static KnownServer {
        KNOWN.iter().find(|known| known.name == name).unwrap()
    }

    fn begin(token: &str, title: &str) -> Value {
        json!({ "token": token, "value": { "kind": "begin", "title": title, "percentage": 0 } })
    }

    fn report(token: &str, percent: u8) -> Value {
        json!({ "token": token, "value": { "kind": "report", "percentage": percent } })
    }

    fn end(token: &str) -> Value {
        json!({ "token": token, "value": { "kind": "end" } })
    }

    fn status(quiescent: bool, health: &str) -> Value {
        json!({ "quiescent": quiescent, "health": health, "message": "no workspace" })
    }

    /// Checks the readiness after some messages. All times are in milliseconds after `initialize`.
    fn check(name: &str, heard: &[(u64, &str, Value)], at: u64, stage: Stage, complete: Complete, why: &str) {
        let start = Instant::now();
        let mut readiness = Readiness::new(known(name), None);
        readiness.greeted(start);
        for (when, method, params) in heard {
            readiness.hear(method, params, start + Duration::from_millis(*when));
        }
        let wanted = ServerReadiness { stage, complete, why: why.to_owned() };
        assert_eq!(readiness.judge(start + Duration::from_millis(at)), wanted, "{name} {heard:?} {at}");
    }

    #[test]
    fn an_indexing_server_is_ready_only_after_a_quiet_period() {
        let index = "backgroundIndexProgress";
        let p = "$/progress";
        let began = (150, p, begin(index, "indexing"));
        let quiet = "the server has not yet reported any progress in reading the project";
        check("clangd", &[], 900, Stage::Indexing(None), Complete::No, quiet);
        let never = "the server has not reported any progress in reading the project";
        check("clangd", &[], 4_000, Stage::Unconfirmed, Complete::Unknown, never);
        let other = (100, p, begin("other", "parsing"));
        check("clangd", &[other], 4_000, Stage::Unconfirmed, Complete::Unknown, never);
        let half = [began.clone(), (300, p, report(index, 42))];
        let busy = "the server is busy: indexing (42 %)";
        check("clangd", &half, 5_000, Stage::Indexing(Some(42)), Complete::No, busy);
        let capped = "after 60 s, the server is busy: indexing (42 %)";
        check("clangd", &half, 60_000, Stage::Unconfirmed, Complete::Unknown, capped);
        let done = [began, (500, p, end(index))];
        let now = "the server's work has just finished";
        check("clangd", &done, 700, Stage::Indexing(None), Complete::No, now);
        check("clangd", &done, 800, Stage::Ready, Complete::Yes, "the server's work has finished");
        let error = [
            (0, p, begin("1", "Setting up workspace")),
            (9, p, end("1")),
            (10, p, begin("2", "Error loading workspace")),
        ];
        check(
            "gopls",
            &error,
            9_000,
            Stage::Degraded,
            Complete::No,
            "the server reports: Error loading workspace",
        );
        check("gopls", &error[..2], 9_000, Stage::Ready, Complete::Yes, "the server's work has finished");
    }

    #[test]
    fn idle_status_counts_only_after_busy_status() {
        let s = "experimental/serverStatus";
        let unread = "the server has not reported that it has loaded the project";
        let (name, no) = ("rust-analyzer", Complete::No);
        check(name, &[], 100, Stage::Indexing(None), no, unread);
        check(name, &[(0, s, status(true, "ok"))], 100, Stage::Indexing(None), no, unread);
        let loaded = [(0, s, status(false, "ok")), (50, s, status(true, "ok"))];
        check(name, &loaded, 100, Stage::Ready, Complete::Yes, "the server reports that it is idle");
        let again = [loaded[0].clone(), loaded[1].clone(), (60, s, status(false, "ok"))];
        check(name, &again, 100, Stage::Indexing(None), no, unread);
        let broken = [(0, s, status(false, "ok")), (50, s, status(true, "error"))];
        check(name, &broken, 100, Stage::Degraded, no, "the server reports: no workspace");
        let l = "language/status";
        let service = "the server has not reported that its service is ready";
        check("jdtls", &[(0, l, json!({ "type": "Started" }))], 9, Stage::Indexing(None), no, service);
        let ready = [(0, l, json!({ "type": "ServiceReady" }))];
        check(
            "jdtls",
            &ready,
            9,
            Stage::Ready,
            Complete::Yes,
            "the server reports that its service is ready",
        );
    }

    #[test]
    fn answers_of_a_silent_server_count_only_after_a_check() {
        let silent = "the server never reports when it has read the project";
        check("pyright", &[], 90_000, Stage::Unconfirmed, Complete::Unknown, silent);
        let searched = [(1, "$/progress", begin("1", "Finding references")), (2, "$/progress", end("1"))];
        check("pyright", &searched, 90_000, Stage::Unconfirmed, Complete::Unknown, silent);
        let answers = "the server answers only after it has read the project";
        check("ty", &[], 0, Stage::Ready, Complete::Yes, answers);
        check("jedi-language-server", &[], 0, Stage::Ready, Complete::No, "jedi stops its search early");

        let now = Instant::now();
        let judged = |name, partial: Option<&str>| {
            let mut readiness = Readiness::new(known(name), partial.map(str::to_owned));
            readiness.greeted(now);
            readiness.judge(now)
        };
        let standing = |stage, complete, why: &str| ServerReadiness { stage, complete, why: why.to_owned() };
        let believed = standing(
            Stage::Ready,
            Complete::Yes,
            "the server's answer contains everything that is known to exist",
        );
        assert_eq!(judged("pyright", None).held(known("pyright")), believed);
        for (name, partial) in [("pyright", Some("no database")), ("ty", Some("no database")), ("ty", None)] {
            let before = judged(name, partial);
            assert_eq!(before.clone().held(known(name)), before, "{name}");
        }
        let lacks = standing(Stage::Unconfirmed, Complete::No, "it lacks b.py");
        assert_eq!(judged("ty", None).lacking("it lacks b.py".to_owned()), lacks);
        let partial = judged("ty", Some("no database"));
        assert_eq!(partial.clone().lacking("it lacks b.py".to_owned()), partial);
    }

    /// A known gap makes each answer incomplete, whatever the server reports about its work.
    #[test]
    fn a_known_gap_is_never_reported_as_unknown() {
        let (p, s) = ("$/progress", "experimental/serverStatus");
        let index = begin("backgroundIndexProgress", "indexing");
        let rows = [
            ("ty", vec![], 0, Stage::Ready),
            ("pyright", vec![], 0, Stage::Unconfirmed),
            ("clangd", vec![], 4_000, Stage::Unconfirmed),
            ("clangd", vec![(0, p, index)], 60_000, Stage::Unconfirmed),
            ("rust-analyzer", vec![(0, s, status(false, "ok"))], 900_000, Stage::Unconfirmed),
        ];
        each(rows, |(name, heard, at, stage)| {
            let start = Instant::now();
            let mut readiness = Readiness::new(known(name), Some("no database".to_owned()));
            readiness.greeted(start);
            for (when, method, params) in heard {
                readiness.hear(method, &params, start + Duration::from_millis(when));
            }
            let wanted = ServerReadiness { stage, complete: Complete::No, why: "no database".to_owned() };
            assert_eq!(readiness.judge(start + Duration::from_millis(at)), wanted);
        });
    }

    #[test]
    fn an_exited_server_is_dead_and_a_silent_one_is_starting() {
        let now = Instant::now();
        let mut readiness = Readiness::new(known("ty"), None);
        let late = now + Duration::from_secs(900);
        assert_eq!(readiness.judge(late).stage, Stage::Starting);
        readiness.died("it ended with code 1".to_owned(), now);
        readiness.died("its output ended".to_owned(), late);
        assert_eq!(readiness.dead_since(), Some(now));
        let dead = ServerReadiness {
            stage: Stage::Dead,
            complete: Complete::No,
            why: "it ended with code 1".to_owned(),
        };
        assert_eq!(readiness.judge(now), dead);
    }
}
