//! Puts what was read into the index.

use std::sync::{Arc, PoisonError};

use super::take::Taken;
use super::{Inner, Known, Turn};
use crate::ranked::segment::Builder;

impl Inner {
    /// Puts what was read into the index: new contents in a segment of their own.
    pub(super) fn put(&self, turn: &mut Turn, taken: Vec<(String, Taken)>) {
        let mut builder = Builder::default();
        let mut docs = Vec::with_capacity(taken.len());
        for (_, taken) in &taken {
            docs.push(match taken {
                Taken::Record(_, hash, record) => Some(builder.add(*hash, record)),
                _ => None,
            });
        }
        let segment = builder.finish().map(Arc::new);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let slot = segment.map(|segment| state.table.attach(segment));
        for ((shown, taken), doc) in taken.into_iter().zip(docs) {
            let Some(seen) = turn.pending.remove(&shown) else { continue };
            state.left_out.binary.remove(&shown);
            state.left_out.large.remove(&shown);
            let (known, at) = match taken {
                Taken::Known(sign, hash, language) => {
                    let at = state.table.known(hash, &language);
                    (Some(Known { sign, hash, language: Some(language) }), at)
                }
                Taken::Record(sign, hash, record) => {
                    let language = Some(record.language.as_str().into());
                    (Some(Known { sign, hash, language }), slot.zip(doc))
                }
                Taken::Binary(sign, hash) => {
                    state.left_out.binary.insert(shown.clone());
                    (Some(Known { sign, hash, language: None }), None)
                }
                Taken::Large => {
                    state.left_out.large.insert(shown.clone());
                    (None, None)
                }
                Taken::Gone => (None, None),
                Taken::Unreadable(why) => {
                    state.left_out.unreadable.insert(format!("{shown}: {why}"));
                    (None, None)
                }
            };
            match at {
                Some(at) => state.table.put(seen.path, &shown, at),
                None => state.table.remove(&shown),
            }
            match known {
                Some(known) => drop(state.known.insert(shown, known)),
                None => drop(state.known.remove(&shown)),
            }
        }
        if let (Some(store), true) = (&mut turn.store, slot.is_some()) {
            store.note();
        }
    }
}
