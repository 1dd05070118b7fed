//! Cuts the reply to the dialect's budget, and says what was cut.

use super::{Going, Next, Trip};
use toolpost_tool::{Budget, Part};

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
            cut(done.page.parts_mut(), &budget);
        }
        Ok(done)
    })
}

fn cut(parts: &mut [Part], budget: &Budget) {
    for part in parts {
        if let Part::Text(text) = part
            && let Some(kept) = budget.apply(text)
        {
            *text = kept;
        }
    }
}
