// @ts-check
export { isArrayBuffer, isSharedArrayBuffer } from './webidl/buffers.js';
