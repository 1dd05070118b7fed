//! The argument names that `serde` accepts: the names of the fields, and `serde` aliases, which no schema contains.

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, Error as _, IntoDeserializer, Visitor,
        value::{Error, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
use std::iter::once;

/// Returns the names that a type accepts in the object at `path`: a list of field names, each a step inwards, also
/// through options and arrays. An empty `path` means the outermost object. Returns an empty list if there is no
/// struct at `path`.
pub(crate) fn names<T: DeserializeOwned>(path: &[&str]) -> Vec<&'static str> {
    let mut found: &'static [&'static str] = &[];
    // The deserializer has no values, so it always fails. The error is ignored: the names are in `found`.
    let _ = T::deserialize(Probe { path, found: &mut found });
    found.to_vec()
}

/// A deserializer that records the field names of the struct at a path.
struct Probe<'a> {
    path: &'a [&'a str],
    found: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Some((field, path)) = self.path.split_first() else {
            *self.found = fields;
            return Err(Error::custom("the names are known"));
        };
        visitor.visit_map(MapDeserializer::new(once((*field, Probe { path, found: self.found }))))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new(once(self)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Probe<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
