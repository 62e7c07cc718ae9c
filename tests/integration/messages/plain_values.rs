//! Plain values within a thread are copied without V8's serialiser, and nobody can tell.

use super::*;

/// `serialized(value)` goes through V8's serialiser always, as there is a transfer list. `teach(make)` clones what `make` makes until its shape is known.
pub(super) const TWO_WAYS: &str = r"
const serialized = (value) => structuredClone(value, { transfer: [] });
const teach = (make) => { for (let i = 0; i < 4; i++) structuredClone(make()); };
const describeAll = (value, seen = new Map()) => {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? JSON.stringify(value) : Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
  if (seen.has(value)) return `#${seen.get(value)}`;
  seen.set(value, seen.size);
  const kind = Array.isArray(value) ? `array of ${value.length}` : Object.prototype.toString.call(value);
  const prototype = Object.getPrototypeOf(value) === Object.prototype ? 'plain' : String(Object.getPrototypeOf(value)?.constructor?.name);
  const parts = Reflect.ownKeys(value).map((key) => {
    const { value: item, writable, enumerable, configurable, get } = Object.getOwnPropertyDescriptor(value, key);
    return `${String(key)}${writable ? 'w' : ''}${enumerable ? 'e' : ''}${configurable ? 'c' : ''}${get ? 'get' : ''}=${describeAll(item, seen)}`;
  });
  return `${kind} ${prototype} {${parts.join(', ')}}`;
};
const agree = (make, what) => {
  for (let round = 0; round < 4; round++) {
    let fast, slow;
    try { fast = describeAll(structuredClone(make())); } catch (error) { fast = error.name; }
    try { slow = describeAll(serialized(make())); } catch (error) { slow = error.name; }
    if (fast !== slow) throw new Error(`${what}, round ${round}: ${fast}, but V8 says ${slow}`);
  }
};
";

#[track_caller]
fn passes_two_ways(script: &str) {
    passes(&format!("{}{script}", TWO_WAYS.replace('\n', " ")));
}

#[test]
fn generated_plain_values_are_copied_as_v8_serialises_them() {
    passes_two_ways(
        r"
        let seed = 12345;
        const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
        const names = ['a', 'b', 'id', 'name', '', 'x y', '語', '0', '7', '-1', '4294967295', 'constructor', 'toString'];
        const leaf = () => [() => random(1000), () => -0, () => random(1000) / 8, () => NaN, () => 'text' + random(9), () => '語'.repeat(random(4)), () => true,
          () => null, () => undefined, () => 2n ** 70n, () => new Date(random(9)), () => new Map([[1, {}]]), () => new Error('e').message][random(random(20) === 0 ? 13 : 10)]();
        let shared;
        const value = (depth) => {
          const kind = random(depth > 3 ? 1 : 4);
          if (kind === 1) { const object = {}; for (let n = random(5); n > 0; n--) object[names[random(names.length)]] = value(depth + 1); if (random(12) === 0) delete object.a; if (random(30) === 0) object.__proto__ = null; if (random(30) === 0) Object.freeze(object); if (random(8) === 0) shared = object; return object; }
          if (kind === 2) { const array = []; for (let n = random(5); n > 0; n--) array.push(value(depth + 1)); if (random(12) === 0) array.length += 2; if (random(12) === 0) array.extra = 1; return array; }
          if (kind === 3 && random(6) === 0 && shared !== undefined) return shared;
          if (kind === 3) return { id: random(9), name: leaf(), inner: random(3) === 0 ? { flag: true, list: [1, 2, random(2) ? 0.5 : 3] } : null };
          return leaf();
        };
        for (let i = 0; i < 20000; i++) { shared = undefined; const made = value(0); if (describeAll(structuredClone(made)) !== describeAll(serialized(made))) throw new Error(`value ${i}: ${describeAll(structuredClone(made))}, but V8 says ${describeAll(serialized(made))}`); }
        ",
    );
}

#[test]
fn objects_that_only_look_like_a_known_shape_are_told_apart() {
    passes_two_ways(
        r"
        const make = () => ({ a: 1, b: { c: 2 } });
        teach(make);
        agree(make, 'the shape itself');
        agree(() => Object.defineProperty(make(), 'a', { get: () => 5, enumerable: true }), 'a getter');
        agree(() => Object.defineProperty(make(), 'a', { enumerable: false }), 'a hidden property');
        agree(() => Object.freeze(make()), 'a frozen one');
        agree(() => Object.assign(make(), { 0: 'element', 5: {} }), 'elements');
        agree(() => Object.defineProperty(make(), 3, { get: () => 'from a getter', enumerable: true }), 'an element with a getter');
        agree(() => Object.assign(make(), { [Symbol('s')]: 1 }), 'a symbol');
        agree(() => Object.setPrototypeOf(make(), null), 'no prototype');
        agree(() => Object.setPrototypeOf(make(), { inherited: 1 }), 'a prototype of its own');
        agree(() => new (class { a = 1; b = { c: 2 }; })(), 'a class');
        agree(() => { const object = make(); delete object.a; object.a = 3; return object; }, 'dictionary mode');
        agree(() => Object.setPrototypeOf(Object.assign(new Date(5), make()), Object.prototype), 'a date in disguise');
        agree(() => Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype), 'a map in disguise');
        agree(() => Object.setPrototypeOf(new Error('m'), Object.prototype), 'an error in disguise');
        agree(() => new Proxy(make(), {}), 'a proxy');
        agree(() => ({ a: 1, b: new Proxy(make(), {}) }), 'a proxy inside');
        agree(() => ({ a: 1, b: () => {} }), 'a function');
        agree(() => ({ a: Symbol('s'), b: 1 }), 'a symbol for a value');
        agree(() => ({ a: 1, b: new MessageChannel().port1 }), 'a port');
        agree(() => Object.setPrototypeOf(new MessageChannel().port1, Object.prototype), 'a port in disguise');
        agree(() => ({ ['__proto__']: 1, a: 2 }), 'a property named __proto__');
        agree(() => JSON.parse('{ `a`: 1, `b`: { `c`: 2 } }'.replaceAll('`', String.fromCharCode(34))), 'from JSON');
        ",
    );
}

#[test]
fn arrays_that_only_look_plain_are_told_apart() {
    passes_two_ways(
        r"
        teach(() => [1, 2]); teach(() => [0.5]); teach(() => ['x', {}]); teach(() => Object.assign(new Array(2), [1, 2]));
        const filled = (values) => { const array = new Array(values.length); for (let i = 0; i < values.length; i++) array[i] = values[i]; return array; };
        agree(() => [], 'an empty one');
        agree(() => [1, 2, 3], 'integers');
        agree(() => [1, 0.5, -0], 'numbers');
        agree(() => ['x', null, { a: [1] }], 'anything');
        agree(() => [1, , 3], 'a hole');
        agree(() => new Array(4), 'nothing but holes');
        agree(() => filled([1, 2, 3]), 'what were holes');
        agree(() => filled([0.5, NaN, -0]), 'numbers in what were holes');
        agree(() => filled(['x', { a: [1] }, undefined]), 'anything in what were holes');
        agree(() => { const array = filled([1, 2, 3, 4]); delete array[2]; return array; }, 'a hole among them');
        agree(() => { const array = filled([{}, {}]); array.length = 5; return array; }, 'holes at the end');
        agree(() => Object.assign([1, 2], { extra: true }), 'a named property');
        agree(() => Object.freeze([1, 2]), 'a frozen one');
        agree(() => new (class extends Array {})(1, 2), 'a subclass');
        agree(() => Object.setPrototypeOf([1, 2], null), 'no prototype');
        agree(() => new Proxy([1, 2], {}), 'a proxy');
        agree(() => Object.defineProperty([1, 2], 0, { get: () => 'from a getter', enumerable: true }), 'a getter');
        agree(() => [1, () => {}], 'a function');
        agree(() => Array.from({ length: 100000 }, (_, i) => i), 'a long one');
        agree(() => Array.from({ length: 3000 }, (_, i) => ({ i })), 'many objects');
        agree(() => Array.from({ length: 6000 }, (_, i) => [i]), 'very many objects');
        agree(() => (function () { return arguments; })(1, 2), 'arguments');
        ",
    );
}

#[test]
fn identity_within_a_plain_value_is_kept() {
    passes_two_ways(
        r"
        const make = () => { const inner = { c: 1 }; return { a: inner, b: [inner, [inner]] }; };
        teach(() => ({ a: { c: 1 }, b: [{ c: 1 }, [{ c: 1 }]] }));
        agree(make, 'one object in several places');
        agree(() => { const list = [1]; return [list, list]; }, 'one array twice');
        agree(() => { const object = { a: null, b: null }; object.a = object; return object; }, 'a cycle');
        agree(() => { const items = Array.from({ length: 500 }, (_, i) => ({ i })); items.push(items[3]); return items; }, 'one of many twice');
        let deep = { next: null };
        for (let i = 0; i < 300; i++) deep = { next: deep };
        agree(() => deep, 'deep nesting');
        ",
    );
}

#[test]
fn nothing_of_a_script_runs_while_a_plain_value_is_copied() {
    passes_two_ways(
        r"
        const make = () => ({ a: 1, list: [{ b: 2 }, 0.5, 'x'] });
        teach(make);
        let calls = 0;
        const hooks = ['a', 'b', 'list', 'length', 'inherited', '0', '1', '2', '3'];
        const bad = { get() { calls++; return 7; }, set() { calls++; }, configurable: true, enumerable: true };
        for (const key of hooks) Object.defineProperty(Object.prototype, key, bad);
        const iterate = Array.prototype[Symbol.iterator], species = Object.getOwnPropertyDescriptor(Array, Symbol.species);
        Array.prototype[Symbol.iterator] = () => { calls++; };
        Object.defineProperty(Array, Symbol.species, { get() { calls++; return Object; }, configurable: true });
        let known, learned;
        for (let i = 0; i < 4; i++) { known = structuredClone(make()); learned = structuredClone({ fresh: { shape: [[1], [2]] } }); }
        Array.prototype[Symbol.iterator] = iterate;
        Object.defineProperty(Array, Symbol.species, species);
        for (const key of hooks) delete Object.prototype[key];
        same(calls, 0, 'calls');
        same(known, make(), 'a known shape');
        same(learned, { fresh: { shape: [[1], [2]] } }, 'one that was learned meanwhile');
        ",
    );
}

#[test]
fn copies_stay_right_while_shapes_come_and_go_and_garbage_is_collected() {
    passes_two_ways(
        r"
        for (let i = 0; i < 3000; i++) {
          const make = () => ({ [`key${i % 700}`]: i, inner: { [`other${i % 11}`]: [i, `${i}`] } });
          const made = make();
          if (describeAll(structuredClone(made)) !== describeAll(make())) throw new Error(`value ${i}: ${describeAll(structuredClone(made))}`);
        }
        // Large enough for the young generation to be collected while they are copied.
        const many = Array.from({ length: 3500 }, (_, i) => ({ id: i, name: `name ${i}`, tags: [`${i}`, i] }));
        for (let i = 0; i < 100; i++) {
          const copy = structuredClone(many);
          if (copy.length !== 3500 || copy[i].name !== `name ${i}` || copy[3499].tags[1] !== 3499 || copy[i] === many[i]) throw new Error(`copy ${i}`);
        }
        ",
    );
}

#[test]
fn a_plain_message_within_a_thread_is_what_it_was_when_it_was_posted() {
    passes(
        r"
        const { port1, port2 } = new MessageChannel();
        const message = { count: 0, list: [1, { deep: true }] };
        for (let i = 0; i < 10; i++) { message.count = i; message.list[0] = i * 2; port1.postMessage(message); }
        message.list[1].deep = false;
        ok(port1.bufferedAmount > 0, 'it counts while it waits');
        const received = [];
        await new Promise((resolve) => { port2.onmessage = ({ data, ports }) => { received.push(data); ok(ports.length === 0, 'no ports'); if (received.length === 10) resolve(); }; });
        received.forEach((data, i) => same(data, { count: i, list: [i * 2, { deep: true }] }, `message ${i}`));
        same(port1.bufferedAmount, 0, 'nothing waits any more');
        throws(() => port1.postMessage({ count: 0, list: () => {} }), 'DataCloneError', 'a function');
        port1.close();
        ",
    );
}
