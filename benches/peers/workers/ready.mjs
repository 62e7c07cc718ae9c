// Says that it runs, and waits.
import { parent } from '../lib/runtime.mjs';
parent.receive = (value) => parent.post(value);
parent.post('ready');
