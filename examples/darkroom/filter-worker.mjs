// One of the workers that filter. The first message brings the shared memory, the compiled kernel
// and the plan, and is answered with READY; from then on a message is the number of a tile, which
// comes back when that tile is done. Numbers from 0 are tiles of the first pass, numbers from
// `tiles.count` the same tiles in the second.
import { READY } from './pool.mjs';

let runTile;

function prepare({ memory, guest, layout, tiles, radius }) {
  const { sumRows, sharpenRows } = guest.instantiate({ memory, imports: {} }).exports;
  const { width, height, stride, source, sums, target } = layout;
  runTile = (number) => {
    const first = (number % tiles.count) * tiles.rows;
    const last = Math.min(first + tiles.rows, height);
    if (number < tiles.count) sumRows(source, sums, stride, width, first, last, radius);
    else sharpenRows(source, sums, target, stride, height, first, last, radius);
  };
}

self.onmessage = ({ data }) => {
  if (typeof data === 'number') {
    runTile(data);
    self.postMessage(data);
  } else {
    prepare(data);
    self.postMessage(READY);
  }
};
