//! The shapes that a lane's records name by number: each is the names of an object's keys, in order.

use std::sync::{Arc, Mutex, PoisonError};

/// Shapes of one lane. Beyond, objects are sent as parcels. The glue has the number too (`messaging/record.js`).
const MOST_SHAPES: usize = 128;
/// UTF-16 units that the names of one shape have at most, all together: so a lane's shapes take no more than 256 KiB.
const MOST_UNITS: usize = 1024;

/// The names of an object's keys, in UTF-16; lone surrogates are kept.
pub(crate) type Names = Arc<[Box<[u16]>]>;

/// Only the sending end defines shapes, and before it sends a record that names them; none is ever forgotten or changed.
#[derive(Default)]
pub(crate) struct RecordShapes(Mutex<Vec<Names>>);

impl RecordShapes {
    /// The number of that shape, which is the old one if it was defined before. None: the lane takes no more, or not this one.
    pub(crate) fn define(&self, names: &[Box<[u16]>]) -> Option<u32> {
        if names.iter().map(|name| name.len()).sum::<usize>() > MOST_UNITS {
            return None;
        }
        let mut shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shapes.iter().position(|known| **known == *names);
        let number = match known {
            Some(number) => number,
            None if shapes.len() < MOST_SHAPES => {
                shapes.push(names.into());
                shapes.len() - 1
            }
            None => return None,
        };
        u32::try_from(number).ok()
    }

    pub(crate) fn get(&self, number: u32) -> Option<Names> {
        let shapes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shapes.get(number as usize).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<Box<[u16]>> {
        let units = |text: &&str| text.encode_utf16().collect();
        texts.iter().map(units).collect()
    }

    #[test]
    fn a_shape_has_one_number_however_often_it_is_defined() {
        let shapes = RecordShapes::default();
        assert_eq!(shapes.define(&names(&["a", "b"])), Some(0));
        assert_eq!(shapes.define(&names(&["b", "a"])), Some(1));
        assert_eq!(shapes.define(&names(&["a", "b"])), Some(0));
        assert_eq!(*shapes.get(1).unwrap(), *names(&["b", "a"]));
        assert!(shapes.get(2).is_none());
    }

    #[test]
    fn shapes_are_bounded_in_number_and_size() {
        let shapes = RecordShapes::default();
        assert_eq!(shapes.define(&names(&[&"x".repeat(MOST_UNITS + 1)])), None);
        for number in 0..MOST_SHAPES {
            let defined = shapes.define(&names(&[&number.to_string()]));
            assert_eq!(defined, u32::try_from(number).ok());
        }
        assert_eq!(shapes.define(&names(&["one more"])), None);
        assert_eq!(shapes.define(&names(&["7"])), Some(7));
    }
}
