// Sends so many of a value as it is told.
import { parent } from '../lib/runtime.mjs';
import { values } from '../lib/values.mjs';
parent.receive = ({ name, count }) => {
  const value = values[name]();
  for (let i = 0; i < count; i++) parent.post(value);
};
