// Counts what it gets. A message `{ expect }` says how many come before it has to answer.
import { parent } from '../lib/runtime.mjs';
let left = 0;
parent.receive = (value) => {
  if (left > 0) {
    if (--left === 0) parent.post('done');
  } else {
    left = value.expect;
  }
};
