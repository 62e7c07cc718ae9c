// What the test scripts share. It is put in front of them on one line, so that their own line numbers stay; hence no comments at the end of lines,
// and no names that a script is likely to use.

const show = (value) => {
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, show).join(', ')}]`;
  if (value instanceof Error || value instanceof DOMException) return `${value.name}(${value.message})`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof RegExp) return String(value);
  if (value instanceof Map) return `Map(${show([...value])})`;
  if (value instanceof Set) return `Set(${show([...value])})`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${new Uint8Array(value)})`;
  if (value instanceof SharedArrayBuffer) return `SharedArrayBuffer(${new Uint8Array(value)})`;
  if (value instanceof DataView) return `DataView(${new Uint8Array(value.buffer, value.byteOffset, value.byteLength)})`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${Array.from(value, show)})`;
  if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt) return `Object(${show(value.valueOf())})`;
  return `{${Object.entries(value).map(([key, item]) => `${key}: ${show(item)}`).join(', ')}}`;
};

const same = (actual, expected, what) => {
  if (show(actual) !== show(expected)) throw new Error(`${what}: got ${show(actual)}, expected ${show(expected)}`);
};

const ok = (condition, what) => {
  if (!condition) throw new Error(what);
};

const throws = (run, name, what) => {
  try {
    run();
  } catch (error) {
    if (error?.name !== name) throw new Error(`${what}: threw ${show(error)}, expected a ${name}`);
    return error;
  }
  throw new Error(`${what}: did not throw, expected a ${name}`);
};

const rejects = async (promise, name, what) => {
  try {
    await promise;
  } catch (error) {
    if (error?.name !== name) throw new Error(`${what}: rejected with ${show(error)}, expected a ${name}`);
    return error;
  }
  throw new Error(`${what}: did not reject, expected a ${name}`);
};

const next = (target, type = 'message') => new Promise((resolve) => {
  target.addEventListener(type, resolve, { once: true });
  if (target instanceof MessagePort) target.start();
});

const startWorker = (code, imports = '') => {
  const text = typeof code === 'string' ? code : `await (${code})();`;
  return new Worker(`data:text/javascript,${encodeURIComponent(`${imports};${text}`)}`, { type: 'module' });
};
