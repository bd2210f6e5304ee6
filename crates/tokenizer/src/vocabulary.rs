//! Tokens and their ids.

use crate::json::Part;
use crate::{Error, Result};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A map between tokens and ids, in both directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    ids: FxHashMap<Arc<str>, u32>,
    tokens: FxHashMap<u32, Arc<str>>,
}

impl Vocabulary {
    /// The object of a file that maps tokens to ids.
    ///
    /// # Errors
    /// Two tokens have the same id.
    pub(crate) fn from_json(part: &Part) -> Result<Vocabulary> {
        let mut vocabulary = Vocabulary::default();
        for (token, id) in part.members()? {
            let number = match id.as_u64().and_then(|id| u32::try_from(id).ok()) {
                Some(number) => number,
                None => part.member(token, id).u32()?,
            };
            if let Some(other) = vocabulary.insert(token, number) {
                return Err(part
                    .member(token, id)
                    .malformed(format!("the tokens {other:?} and {token:?} have the same id {number}")));
            }
        }
        Ok(vocabulary)
    }

    /// The tokens of a list, whose ids are their indices. Of equal tokens, the first is found.
    pub(crate) fn from_list<'t>(tokens: impl Iterator<Item = &'t str>) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for (token, id) in tokens.zip(0..) {
            let token: Arc<str> = token.into();
            vocabulary.ids.entry(token.clone()).or_insert(id);
            vocabulary.tokens.insert(id, token);
        }
        vocabulary
    }

    /// Adds a token, and returns the one that has the id already.
    pub(crate) fn insert(&mut self, token: &str, id: u32) -> Option<Arc<str>> {
        let token: Arc<str> = token.into();
        self.ids.insert(token.clone(), id);
        self.tokens.insert(id, token)
    }

    pub(crate) fn id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    pub(crate) fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(&id).map(|token| &**token)
    }

    /// The id of a token that the model cannot do without.
    pub(crate) fn need(&self, token: &str, role: &str) -> Result<u32> {
        self.id(token).ok_or_else(|| Error::malformed(format!("the vocabulary lacks the {role} {token:?}")))
    }

    /// All tokens and their ids, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.ids.iter().map(|(token, id)| (&**token, *id))
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }
}
