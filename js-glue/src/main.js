// @ts-check
/** The glue's entry module: imports every API. The snapshot is made by evaluating it. */
import './abort.js';
import './base64.js';
import './compression.js';
import './console.js';
import './crypto.js';
import './encoding_streams.js';
import './events.js';
import './navigator.js';
import './performance.js';
import './streams.js';
import './url.js';
import './node/events.js';
import './node/fs.js';
import './node/path.js';
import './node/process.js';
import './node/url.js';

/** @type {any} */ (globalThis).__isolane_entry = { __proto__: null };
