//! Model service with retries, a limit on concurrent requests, and timeouts.

use super::{AnswerPart, Completion, Model, ModelError, ModelErrorKind, Question};
use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Maximum size of an answer, in bytes.
const MOST: usize = 8 * 1024 * 1024;

/// Timeouts and retries of model requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Maximum time without data.
    pub idle: Duration,
    /// Maximum number of attempts.
    pub tries: u32,
    /// Maximum delay before the first retry; doubled for each further retry, up to `longest`.
    pub pause: Duration,
    /// Maximum delay before a retry. If the provider requests a longer one, the request fails.
    pub longest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(120),
            tries: 5,
            pause: Duration::from_secs(1),
            longest: Duration::from_secs(60),
        }
    }
}

/// Event of a model request.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestEvent<'a> {
    /// A piece of the answer.
    Piece(&'a AnswerPart),
    /// The request failed and is retried.
    Again {
        /// Error of the failed attempt.
        fault: &'a ModelError,
        /// Delay before the retry.
        pause: Duration,
        /// Number of the next attempt; the first attempt is number 1.
        next: u32,
    },
}

/// A model with its limits. All clones share one limit on concurrent requests.
#[derive(Clone)]
pub struct Service {
    model: Arc<dyn Model>,
    patience: Patience,
    at_once: Arc<Semaphore>,
}

impl Service {
    /// Creates a service with at most `at_once` concurrent requests.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, patience: Patience, at_once: usize) -> Self {
        Self { model, patience, at_once: Arc::new(Semaphore::new(at_once.max(1))) }
    }

    /// Returns the service for another model. The two share the limit on concurrent requests.
    #[must_use]
    pub fn with_model(&self, model: Arc<dyn Model>) -> Self {
        Self { model, ..self.clone() }
    }

    /// Sends a request. After a temporary error, retries it until [`Patience::tries`] is reached, unless a part of
    /// the answer has arrived.
    ///
    /// # Errors
    /// The last error, or `Cancelled`.
    pub async fn ask(
        &self,
        question: &Question,
        cancel: &CancellationToken,
        hear: &(dyn Fn(RequestEvent<'_>) + Send + Sync),
    ) -> Result<Completion, ModelError> {
        let mut next = 1;
        loop {
            let (fault, begun) = match self.once(question, cancel, hear).await {
                Ok(whole) => return Ok(whole),
                Err(unanswered) => unanswered,
            };
            next += 1;
            // If the answer has begun, the caller has already seen its beginning, and a retry would repeat it.
            if begun == AnswerProgress::Yes || !fault.passes() || next > self.patience.tries.max(1) {
                return Err(fault);
            }
            let pause = self.pause(&fault, next)?;
            hear(RequestEvent::Again { fault: &fault, pause, next });
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(cancelled()),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    async fn once(
        &self,
        question: &Question,
        cancel: &CancellationToken,
        hear: &(dyn Fn(RequestEvent<'_>) + Send + Sync),
    ) -> Result<Completion, (ModelError, AnswerProgress)> {
        let permit = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err((cancelled(), AnswerProgress::No)),
            permit = self.at_once.acquire() => permit,
        };
        let _permit = permit.map_err(|_| (cancelled(), AnswerProgress::No))?;
        let mut begun = AnswerProgress::No;
        let (mut bytes, mut longest) = (0, 0);
        let mut pieces = self.model.begin(question).map_err(|fault| (fault, AnswerProgress::No))?;
        // A keep-alive is not content, but it resets the timeout.
        loop {
            let piece = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err((cancelled(), begun)),
                piece = tokio::time::timeout(self.patience.idle, pieces.next()) => piece,
            };
            let piece = piece.map_err(|_| (self.silent(begun), begun))?.map_err(|fault| (fault, begun))?;
            match &piece {
                AnswerPart::End(whole) => return Ok((**whole).clone()),
                AnswerPart::Alive => {}
                AnswerPart::Words(words) | AnswerPart::Thought(words) => {
                    begun = AnswerProgress::Yes;
                    bytes += words.len();
                }
                AnswerPart::Calling { bytes, .. } => {
                    begun = AnswerProgress::Yes;
                    longest = longest.max(*bytes);
                }
            }
            if bytes + longest > MOST {
                let what = format!("The model's answer has more than {MOST} bytes and was rejected");
                return Err((ModelError::new(ModelErrorKind::Shape, &what), begun));
            }
            hear(RequestEvent::Piece(&piece));
        }
    }

    fn silent(&self, begun: AnswerProgress) -> ModelError {
        let more = if begun == AnswerProgress::Yes { "Nothing more" } else { "Nothing" };
        let seconds = self.patience.idle.as_secs_f64();
        ModelError::new(ModelErrorKind::Silent, &format!("{more} arrived from the model for {seconds} s"))
    }

    /// Returns the delay before a retry, or an error if the provider requests a longer one than allowed.
    fn pause(&self, fault: &ModelError, next: u32) -> Result<Duration, ModelError> {
        if let Some(wanted) = fault.retry_after {
            if wanted > self.patience.longest {
                let what = format!(
                    "{}; the provider requests a wait of {} s, which is longer than the limit",
                    fault.what,
                    wanted.as_secs()
                );
                return Err(ModelError { what, ..fault.clone() });
            }
            return Ok(wanted + part(self.patience.pause / 4));
        }
        let doubled = self.patience.pause.saturating_mul(1 << (next.saturating_sub(2)).min(16));
        let whole = doubled.min(self.patience.longest);
        Ok(whole / 2 + part(whole / 2))
    }
}

/// Arrival of the first part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerProgress {
    Yes,
    No,
}

fn cancelled() -> ModelError {
    ModelError::new(ModelErrorKind::Cancelled, "The request was cancelled")
}

/// Returns a random part of a duration, so that many clients do not retry at the same moment.
fn part(of: Duration) -> Duration {
    let number = RandomState::new().build_hasher().finish();
    of.mul_f64((number % 1024) as f64 / 1024.0)
}
