//! Paths and file names as raw bytes, which need not be UTF-8.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path or file name as raw bytes; serialised as text if it is UTF-8, else as a list of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawPath(pub(crate) PathBuf);

impl RawPath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn name(&self) -> &OsStr {
        self.0.as_os_str()
    }
}

impl From<OsString> for RawPath {
    fn from(name: OsString) -> Self {
        Self(name.into())
    }
}

impl From<&Path> for RawPath {
    fn from(path: &Path) -> Self {
        Self(path.to_path_buf())
    }
}

impl Serialize for RawPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => self.0.as_os_str().as_bytes().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RawPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Bytes(Vec<u8>),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Text(text) => Self(text.into()),
            Form::Bytes(bytes) => Self(OsString::from_vec(bytes).into()),
        })
    }
}
