// The values that cells send, by name. Each function makes a fresh one.

const session = {
  user: { id: 184467, name: 'Ada Example', roles: ['admin', 'editor'] },
  issued: 1764547200000,
  expires: 1764550800000,
  flags: { beta: true, dark: false },
  path: '/projects/isolane/settings',
  visits: [3, 1, 4, 1, 5, 9, 2, 6],
};

export const values = {
  undefined: () => undefined,
  null: () => null,
  boolean: () => true,
  int32: () => 7,
  double: () => 1.5,
  'minus zero': () => -0,
  bigint: () => 12345678901234567n,
  'string 8': () => 'x'.repeat(8),
  'string 64': () => 'x'.repeat(64),
  'string 128': () => 'x'.repeat(128),
  'string 1024': () => 'x'.repeat(1024),
  'two-byte string 32': () => '\u03c0'.repeat(32),
  'flat object': () => ({ id: 1, name: 'item', done: false }),
  'array of 8 ints': () => [1, 2, 3, 4, 5, 6, 7, 8],
  session: () => structuredClone(session),
  'error with cause': () => new Error('outer', { cause: new TypeError('inner') }),
};
