// Acknowledges each message.
import { parent } from '../lib/runtime.mjs';
parent.receive = (value) => parent.post(value.byteLength);
