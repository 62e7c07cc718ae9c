//! Which objects can be copied property by property, told by their hidden classes.
//!
//! V8 gives objects that were made alike one hidden class, its *map*, which fixes their prototype, and of each property the name, the place, and whether it
//! is an accessor, enumerable or writable. So what is found out once about an object of the glue's own, which nobody else changes, holds for every object
//! with the same map: looking the map up is all that a copy has to ask. Two kinds are told apart by more than their maps, and are never learned: objects
//! in dictionary mode, and those with symbols for keys. Elements do not show in a map either, except whether one may be an accessor; whoever copies an
//! object counts its keys.
//!
//! The layout that is relied on is that of `v8-internal.h`, which embedders compile in: a handle points to a word with the object's address
//! (`kHeapObjectTag` added), and the first word of every object is its map (`kHeapObjectMapOffset`).

use std::cell::{Cell, RefCell};

use super::visited::Visited;

/// Low bits of a map's address that say little: maps lie some words apart.
const ALIGNMENT_BITS: u32 = 4;
/// Shapes that are known at a time. Beyond, all are forgotten: scripts that use objects as maps make ever new ones.
const MOST_SHAPES: usize = 256;
const PLACES: usize = 2 * MOST_SHAPES;

/// A kind of object, as the glue numbers them: arrays of numbers alone, other arrays without holes, arrays that may have holes, and then the shapes of plain
/// objects.
pub(crate) type Shape = u32;
/// Lower ones are of arrays.
const FIRST_OBJECT_SHAPE: Shape = 3;

/// What is known of an object that is about to be copied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Shape(Shape),
    Unknown,
    /// It was visited before in this walk, or nobody can tell any more.
    Repeated,
}

struct Exemplar {
    object: v8::Global<v8::Object>,
    shape: Shape,
}

/// The shapes of one isolate.
pub(crate) struct Shapes {
    /// By the hash of the map's address: open addressing. A map may move; its place is then not found, and later forgotten with the others.
    exemplars: RefCell<Vec<Option<Exemplar>>>,
    known: Cell<usize>,
    visited: RefCell<Visited>,
    collections: Cell<u32>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self {
            exemplars: RefCell::new((0..PLACES).map(|_| None).collect()),
            known: Cell::new(0),
            visited: RefCell::default(),
            collections: Cell::new(0),
        }
    }
}

/// The word that a handle points to: the object's address, tagged.
fn address(object: &v8::Object) -> usize {
    // SAFETY: a live handle points to a word that holds the object's tagged address; reading it has no other effect.
    unsafe { *std::ptr::from_ref(object).cast::<usize>() }
}

/// The object's map, as a number. It means something only until V8 next collects garbage.
fn map_of(object: &v8::Object) -> usize {
    // SAFETY: the address of a live object, less its tag, is that of its first word, the map. This thread alone runs the isolate, and no collection is
    // under way while it runs the host's code, so that the word is a map and no forwarding address.
    unsafe { *((address(object) - 1) as *const usize) }
}

fn first_place(map: usize) -> usize {
    (map >> ALIGNMENT_BITS) % PLACES
}

impl Shapes {
    /// A collection may move objects: addresses that were noted before mean nothing after it.
    pub(crate) fn note_collection(&self) {
        self.collections.set(self.collections.get().wrapping_add(1));
    }

    /// The kind of an object that is about to be copied. `first`: a new walk begins with it.
    pub(crate) fn visit(
        &self,
        scope: &mut v8::PinScope,
        object: v8::Local<v8::Object>,
        first: bool,
    ) -> Known {
        let mut visited = self.visited.borrow_mut();
        if first {
            visited.begin(self.collections.get());
        }
        if !visited.add(address(&object), self.collections.get()) {
            return Known::Repeated;
        }
        self.find(scope, map_of(&object))
            .map_or(Known::Unknown, Known::Shape)
    }

    fn find(&self, scope: &mut v8::PinScope, map: usize) -> Option<Shape> {
        let exemplars = self.exemplars.borrow();
        let first = first_place(map);
        for place in (first..PLACES).chain(0..first) {
            let exemplar = exemplars.get(place)?.as_ref()?;
            // SAFETY: the reference is used before anything else happens in the isolate.
            if map_of(unsafe { exemplar.object.open(scope) }) == map {
                return Some(exemplar.shape);
            }
        }
        None
    }

    /// From now on objects with the map of `exemplar` are of this shape. The exemplar must be the glue's own, and never change.
    pub(crate) fn learn(
        &self,
        scope: &mut v8::PinScope,
        exemplar: v8::Local<v8::Object>,
        shape: Shape,
    ) {
        if self.find(scope, map_of(&exemplar)).is_some() {
            return;
        }
        let mut exemplars = self.exemplars.borrow_mut();
        let first = first_place(map_of(&exemplar));
        let free = (first..PLACES)
            .chain(0..first)
            .find(|place| exemplars.get(*place).is_some_and(Option::is_none));
        if let Some(place) = free.and_then(|place| exemplars.get_mut(place)) {
            *place = Some(Exemplar {
                object: v8::Global::new(scope, exemplar),
                shape,
            });
            self.known.set(self.known.get() + 1);
        }
    }

    /// Forgets all shapes if there are as many as may be.
    pub(crate) fn make_room(&self) {
        if self.known.get() >= MOST_SHAPES {
            self.exemplars.borrow_mut().fill_with(|| None);
            self.known.set(0);
        }
    }

    /// A number for one more shape of plain objects.
    pub(crate) fn next_shape(&self) -> Shape {
        let known = u32::try_from(self.known.get()).unwrap_or(u32::MAX);
        FIRST_OBJECT_SHAPE.saturating_add(known)
    }
}

/// Whether two objects have one map.
pub(crate) fn are_alike(one: v8::Local<v8::Object>, other: v8::Local<v8::Object>) -> bool {
    map_of(&one) == map_of(&other)
}
