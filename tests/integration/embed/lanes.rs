//! The two implementations of a lane's ends, Rust's here and JavaScript's in the worker, over one memory: generated values go through both, in bursts of
//! generated lengths, and come back as they were.

use super::*;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A text of so many units that it may just fit slots or just not.
    fn text(&mut self) -> String {
        let length = self.below(135);
        let highest = [0x7f, 0xff, 0xd7ff][self.below(3) as usize];
        (0..length)
            .filter_map(|_| char::from_u32(self.below(highest + 1) as u32))
            .collect()
    }

    fn value(&mut self) -> Message {
        match self.below(10) {
            0 => Message::Undefined,
            1 => Message::Null,
            2 => Message::Bool(self.below(2) == 1),
            3 => Message::Number(f64::from(self.next() as i32)),
            4 => {
                let number = f64::from_bits(self.next());
                // A NaN's payload is no part of its value, and NaN is not equal to itself.
                Message::Number(if number.is_nan() { -0.0 } else { number })
            }
            5 => Message::BigInt(i128::from(self.next())),
            6 => Message::BigInt(-i128::from(self.next())),
            7 => Message::from(vec![self.next() as u8; self.below(300) as usize]),
            _ => Message::String(self.text()),
        }
    }
}

fn same(one: &Message, other: &Message) -> bool {
    match (one, other) {
        (Message::Number(one), Message::Number(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}

#[test]
fn generated_values_are_the_same_through_both_implementations_of_a_lane() {
    for seed in 0..soak(20, 2_000) {
        let worker = spawn(ECHO);
        let mut random = Random(seed);
        for burst in 0..30 {
            // Up to a few hundred: the first ring and its first successors fill up.
            let count = 1 + random.below(if burst % 5 == 0 { 400 } else { 12 });
            let state = random.0;
            for _ in 0..count {
                worker.post(random.value()).unwrap();
            }
            let mut again = Random(state);
            for number in 0..count {
                let (sent, received) = (again.value(), receive(&worker));
                assert!(
                    same(&sent, &received),
                    "seed {seed}, burst {burst}, message {number}: {sent:?} came back as {received:?}"
                );
            }
        }
        let metrics = worker.metrics();
        assert_eq!(
            metrics.to_worker.messages_sent,
            metrics.from_worker.messages_sent
        );
        assert_eq!(
            metrics.to_worker.bytes_sent > 0,
            metrics.to_worker.messages_sent > 0
        );
        assert_eq!(
            (metrics.from_worker.depth, metrics.from_worker.bytes),
            (0, 0)
        );
    }
}
