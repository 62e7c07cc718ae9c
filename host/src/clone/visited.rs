//! The objects that a walk has been to, by address.

/// So many are looked through one by one.
const FEW: usize = 8;
/// More than these are not kept track of.
const MOST: usize = 4096;
const PLACES: usize = 2 * MOST;

/// A set of addresses that is emptied at no cost. Addresses are good until the next garbage collection; the walk that sees one gives up.
#[derive(Default)]
pub(crate) struct Visited {
    few: Vec<usize>,
    /// By the address's hash: the address, and the walk that put it there. Made by the first walk that needs it.
    many: Vec<(usize, u32)>,
    walk: u32,
    count: usize,
    /// The count of collections when the walk began.
    collections: u32,
}

impl Visited {
    /// A new walk begins.
    pub(crate) fn begin(&mut self, collections: u32) {
        self.few.clear();
        self.count = 0;
        self.collections = collections;
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            // Walks are numbered again from the start: none of the old may be taken for a new one.
            self.many.clear();
            self.walk = 1;
        }
    }

    /// False: the walk was there before, is at its limit, or lost its way to a collection.
    pub(crate) fn add(&mut self, address: usize, collections: u32) -> bool {
        if collections != self.collections || self.count == MOST {
            return false;
        }
        self.count += 1;
        if self.count <= FEW {
            let new = !self.few.contains(&address);
            self.few.push(address);
            return new;
        }
        if self.count == FEW + 1 {
            self.many.resize(PLACES, (0, 0));
            for earlier in std::mem::take(&mut self.few) {
                self.put(earlier);
            }
        }
        self.put(address)
    }

    fn put(&mut self, address: usize) -> bool {
        // Objects lie close together, 8 bytes apart at least.
        let mut place = (address >> 3).wrapping_mul(0x9e37_79b9) % PLACES;
        loop {
            match self.many.get_mut(place) {
                Some((known, walk)) if *walk == self.walk => {
                    if *known == address {
                        return false;
                    }
                }
                Some(free) => {
                    *free = (address, self.walk);
                    return true;
                }
                None => return false,
            }
            place = (place + 1) % PLACES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_new_once_in_each_walk() {
        let mut visited = Visited::default();
        for walk in 0..3 {
            visited.begin(walk);
            for round in [true, false] {
                for address in 1..=1000 {
                    assert_eq!(visited.add(address * 8, walk), round, "{address}");
                }
            }
        }
    }

    #[test]
    fn few_addresses_are_told_apart_too() {
        let mut visited = Visited::default();
        visited.begin(0);
        assert!(visited.add(8, 0) && visited.add(16, 0) && !visited.add(8, 0));
        visited.begin(0);
        assert!(visited.add(8, 0));
    }

    #[test]
    fn a_walk_ends_at_its_limit() {
        let mut visited = Visited::default();
        visited.begin(0);
        let added = (1..2 * MOST)
            .filter(|address| visited.add(address * 8, 0))
            .count();
        assert_eq!(added, MOST);
    }

    #[test]
    fn a_walk_ends_at_a_collection() {
        let mut visited = Visited::default();
        visited.begin(0);
        assert!(visited.add(8, 0) && !visited.add(16, 1));
    }

    #[test]
    fn walks_are_told_apart_when_their_numbers_start_again() {
        let mut visited = Visited::default();
        visited.begin(0);
        for address in 1..=20 {
            assert!(visited.add(address * 8, 0));
        }
        visited.walk = u32::MAX;
        visited.begin(0);
        for address in 1..=20 {
            assert!(visited.add(address * 8, 0));
        }
    }
}
