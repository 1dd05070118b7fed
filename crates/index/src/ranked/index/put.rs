//! Insertion of contents into the index.

use std::sync::{Arc, PoisonError};

use super::take::Taken;
use super::{Inner, Turn};
use crate::ranked::segment::build::Builder;

impl Inner {
    /// Adds contents to the index; new ones get a segment of their own.
    pub(super) fn put(&self, turn: &mut Turn, taken: Vec<(Arc<str>, Taken)>) {
        let mut builder = Builder::default();
        let mut docs = Vec::with_capacity(taken.len());
        for (_, taken) in &taken {
            docs.push(match taken {
                Taken::Record(_, hash, record) => Some(builder.add(*hash, record)),
                _ => None,
            });
        }
        self.lifecycle.add_parsed(docs.iter().flatten().count());
        let segment = builder.finish().map(Arc::new);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let slot = segment.map(|segment| state.table.attach(segment));
        for ((shown, taken), doc) in taken.into_iter().zip(docs) {
            let Some(seen) = turn.pending.remove(&shown) else { continue };
            state.left_out.binary.remove(&*shown);
            state.left_out.large.remove(&*shown);
            state.others.remove(&shown);
            let text = match taken {
                Taken::Known(sign, hash, language) => state.table.known(hash, &language).zip(Some(sign)),
                Taken::Record(sign, ..) => slot.zip(doc).zip(Some(sign)),
                Taken::Binary(sign, hash) => {
                    state.left_out.binary.insert(shown.to_string());
                    state.others.insert(shown.clone(), (sign, hash));
                    None
                }
                Taken::Large => {
                    state.left_out.large.insert(shown.to_string());
                    None
                }
                Taken::Gone => None,
                Taken::Unreadable(why) => {
                    state.left_out.unreadable.insert(format!("{shown}: {why}"));
                    None
                }
            };
            match text {
                Some((at, sign)) => state.table.put(seen.path, &shown, at, sign),
                None => state.table.remove(&shown),
            }
        }
        if let (Some(store), true) = (&mut turn.store, slot.is_some()) {
            store.note();
        }
    }
}
