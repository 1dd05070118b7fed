//! Truncates the reply to the dialect's budget, with a note of the omission.

use super::{Going, Next, Trip};
use toolpost_tool::Budget;

pub(super) fn layer<'a>(trip: Trip<'a>, next: Next<'a>) -> Going<'a> {
    Box::pin(async move {
        let dialect = trip.published.map(|published| published.dialect);
        let (bytes, most) = (trip.reply_bytes(next.runtime), trip.most_bytes(next.runtime));
        let mut done = next.go(trip).await?;
        if let Some(dialect) = dialect {
            let budget = if done.page.is_all() {
                Budget { bytes: most, lines: usize::MAX, ..dialect.budget }
            } else {
                Budget { bytes, ..dialect.budget }
            };
            done.page.cut(&budget);
        }
        Ok(done)
    })
}
