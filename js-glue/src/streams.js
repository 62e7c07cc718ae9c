// @ts-check
// WHATWG Streams: the interfaces that scripts see.

export { ReadableByteStreamController, ReadableStreamBYOBRequest } from './streams/readable_byte_interfaces.js';
export { ReadableStreamDefaultController } from './streams/readable_default_controller.js';
export { ReadableStream } from './streams/readable_stream.js';
export { ReadableStreamBYOBReader, ReadableStreamDefaultReader } from './streams/readers.js';
export { ByteLengthQueuingStrategy, CountQueuingStrategy } from './streams/strategies.js';
export { TransformStream, TransformStreamDefaultController } from './streams/transform_stream.js';
export { WritableStreamDefaultController } from './streams/writable_controller.js';
export { WritableStream, WritableStreamDefaultWriter } from './streams/writable_stream.js';
