//! State of capabilities in a session, one value for each type.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// The state of the capabilities in a session: one value for each type, created on first use.
#[derive(Default)]
pub(super) struct Slots(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Slots {
    /// Returns the value of the type `T`, and creates it on first use.
    pub(super) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        // The key is the type, so the cast succeeds.
        Arc::clone(slot).downcast::<T>().unwrap_or_default()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(out, "Slots({})", slots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn slots_store_one_value_per_type() {
        let slots = Slots::default();
        slots.get::<AtomicU32>().store(7, Ordering::Relaxed);
        slots.get::<Mutex<String>>().lock().unwrap().push('a');
        assert_eq!(slots.get::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(*slots.get::<Mutex<String>>().lock().unwrap(), "a");
    }
}
