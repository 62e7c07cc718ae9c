//! Messages between scripts: ports, workers, transfer and structured clone. The scripts check themselves.

mod flow;
mod plain_values;
mod ports;
mod records;
mod rules;
mod transfer;
mod values;

use crate::support::{passes, prints};

/// Values of every kind that a slot or a parcel carries, made anew at each call.
const KINDS: &str = r"
const kinds = () => [
  0, -0, 1, -7, 2 ** 31, 0.1, NaN, -Infinity, 2 ** 53,
  undefined, null, true, false,
  0n, -1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, -(2n ** 200n),
  '', 'a', 'ÿ', '語', '😀', '\0', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(127), 'a'.repeat(128), 'a'.repeat(129), '語'.repeat(500),
  'lone \ud800', '\udc00'.repeat(300),
  {}, { a: 1, b: { c: [] } }, [], [1, [2, [3]]], [undefined, null],
  new Date(0), new Date(NaN), /a\/b/giu, new Map([[{}, 1], ['k', new Set([1])]]), new Set([[]]),
  new Number(-0), new String('s'), new Boolean(false), Object(5n),
  new ArrayBuffer(0), Uint8Array.of(1, 2, 3).buffer, new Uint8Array(20000).fill(7), new Float64Array([NaN, -0]), new BigInt64Array([-1n]),
  new Uint8ClampedArray([300]), new DataView(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2), new Uint16Array(Uint8Array.of(1, 2, 3, 4, 5, 6).buffer, 2, 2),
  new Error('plain'), new TypeError('typed'), new RangeError('caused', { cause: 'by this' }),
];";

#[track_caller]
fn passes_with_kinds(script: &str) {
    passes(&format!("{}{script}", KINDS.replace('\n', " ")));
}
