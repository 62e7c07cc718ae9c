// @ts-check
// Web IDL in JavaScript: what every interface of the glue shares. webidl/interfaces.js gives classes the shape of interface objects
// (§3.7); the other files convert arguments (§3.2).
//
// Every converter has the form (value, prefix, context): `prefix` names the operation ("Failed to execute 'x' on 'Y'"),
// `context` the value ("Argument 1"); both only serve the message of the TypeError.

export * from './webidl/buffers.js';
export * from './webidl/composites.js';
export * from './webidl/errors.js';
export * from './webidl/interfaces.js';
export * from './webidl/primitives.js';
