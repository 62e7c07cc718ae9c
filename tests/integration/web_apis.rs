//! The web's APIs: a few assertions on each, so that none is missing or broken. The scripts check themselves.

use crate::support::{passes, prints, run};
use isolane::{Outcome, WorkerOptions};

#[test]
fn console_formats_as_people_know_it() {
    let cases = [
        (
            "'text', 1, -0, 10n, true, null, undefined, Symbol('s')",
            "text 1 -0 10n true null undefined Symbol(s)",
        ),
        (
            "{ a: 1, 'b-c': 'text', d: [] }",
            "{ a: 1, 'b-c': 'text', d: [] }",
        ),
        (
            "{ d: { e: { f: { g: 1 } } } }",
            "{ d: { e: { f: [Object] } } }",
        ),
        (
            "[1, 'two', [3, [4, [5, [6]]]], , undefined]",
            "[ 1, 'two', [ 3, [ 4, [Array] ] ], <1 empty item>, undefined ]",
        ),
        (
            "new Map([['k', { v: 1 }]]), new Set([1, 'x'])",
            "Map(1) { 'k' => { v: 1 } } Set(2) { 1, 'x' }",
        ),
        (
            "'%s is %d, %i, %f, %j, %%, %c.', 'text', 42.5, 42.9, '1.5', { a: 1 }, 'css', 'rest', { m: 1 }",
            "text is 42.5, 42, 1.5, {\"a\":1}, %, . rest { m: 1 }",
        ),
        ("'%o %O', [1], { a: 1 }", "[ 1, [length]: 1 ] { a: 1 }"),
        ("'100%', 5, '%d'", "100% 5 %d"),
        (
            "() => {}, function named() {}, class A {}, class B extends Map {}",
            "[Function (anonymous)] [Function: named] [class A] [class B extends Map]",
        ),
        (
            "new Date(0), /re/g, new Uint8Array(3)",
            "1970-01-01T00:00:00.000Z /re/g Uint8Array(3) [ 0, 0, 0 ]",
        ),
        (
            "(() => { const c = { name: 'c' }; c.self = c; return c; })()",
            "<ref *1> { name: 'c', self: [Circular *1] }",
        ),
        (
            "new (class Point { constructor() { this.x = 1; } })(), Object.create(null)",
            "Point { x: 1 } [Object: null prototype] {}",
        ),
        (
            "{ get a() { return 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} }",
            "{ a: [Getter], b: [Setter], c: [Getter/Setter] }",
        ),
        (
            "Promise.resolve(5), new Promise(() => {}), new WeakMap()",
            "Promise { 5 } Promise { <pending> } WeakMap { <items unknown> }",
        ),
        ("[`it's`, 'a\\nb']", "[ \"it's\", 'a\\nb' ]"),
        ("new Array(120).fill(0).length, 'x'.repeat(3)", "120 xxx"),
        (
            "[new Error('e')].length, Object(1), Object('s'), (function () { return arguments; })(1)",
            "1 [Number: 1] [String: 's'] [Arguments] { '0': 1 }",
        ),
    ];
    for (values, expected) in cases {
        let ended = run(WorkerOptions::from_source(
            "/test/console.mjs",
            format!("console.log({values});"),
        ));
        assert_eq!(ended.outcome, Outcome::Finished { code: 0 }, "{values}");
        assert_eq!(
            ended.stdout,
            format!("{expected}\n"),
            "console.log({values})"
        );
    }
}

#[test]
fn console_has_groups_tables_and_counters() {
    let ended = run(WorkerOptions::from_source(
        "/test/console.mjs",
        "console.log(); console.group('group'); console.info('a\\nb'); console.groupEnd(); console.debug('outside');
         console.table([{ a: 1, b: 'x' }, { a: 2 }]);
         console.count(); console.count(); console.countReset(); console.count();
         console.dir({ a: { b: 1 } }, { depth: 0 });
         console.assert(false, 'assertion %d', 5); console.warn('warning'); console.time('t'); console.timeEnd('none');",
    ));
    assert_eq!(ended.outcome, Outcome::Finished { code: 0 });
    assert_eq!(
        ended.stdout,
        "\ngroup\n  a\n  b\noutside\n\
         ┌─────────┬───┬─────┐\n\
         │ (index) │ a │ b   │\n\
         ├─────────┼───┼─────┤\n\
         │ 0       │ 1 │ 'x' │\n\
         │ 1       │ 2 │     │\n\
         └─────────┴───┴─────┘\n\
         default: 1\ndefault: 2\ndefault: 1\n{ a: [Object] }\n"
    );
    assert!(
        ended
            .stderr
            .starts_with("Assertion failed: assertion 5\nwarning\n"),
        "{}",
        ended.stderr
    );
}

#[test]
fn console_shows_errors_with_their_stack_and_cause() {
    let ended = run(WorkerOptions::from_source(
        "/test/console.mjs",
        "const error = new TypeError('outer', { cause: new Error('inner') });\nerror.code = 'E_CODE';\nconsole.log(error);\nconsole.log({ error: new RangeError('nested') });\nconsole.log(new AggregateError([new Error('one')], 'several'));",
    ));
    for part in [
        "TypeError: outer\n    at file:///test/console.mjs:1:15",
        "[cause]: Error: inner",
        "code: 'E_CODE'",
        "error: RangeError: nested\n",
        "AggregateError: several",
        "[errors]",
        "Error: one",
    ] {
        assert!(
            ended.stdout.contains(part),
            "{part:?} in:\n{}",
            ended.stdout
        );
    }
}

#[test]
fn timers_run_in_order_and_can_be_cleared() {
    prints(
        r"
        setTimeout((a, b) => console.log('timeout', a, b), 2, 1, 2);
        setTimeout(() => console.log('zero'));
        setImmediate(() => console.log('immediate'));
        const cleared = setTimeout(() => console.log('cleared'), 1); clearTimeout(cleared);
        queueMicrotask(() => console.log('microtask'));
        console.log('script');
        let ticks = 0;
        await new Promise((resolve) => { const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); resolve(); } }, 3); });
        console.log('ticks', ticks);
        clearTimeout(undefined); clearTimeout(12345678); clearInterval(null);
        await new Promise((resolve) => setTimeout(resolve, -5));
        await new Promise((resolve) => setTimeout(resolve, NaN));
        ",
        "
        script
        microtask
        zero
        immediate
        timeout 1 2
        ticks 3
        ",
    );
}

#[test]
fn events() {
    passes(
        r"
        const target = new EventTarget();
        const log = [];
        const listener = { handleEvent(event) { log.push(`object ${event.type} ${this === listener}`); } };
        target.addEventListener('x', listener);
        target.addEventListener('x', (event) => { log.push('once'); event.preventDefault(); }, { once: true });
        const controller = new AbortController();
        target.addEventListener('x', () => log.push('signal'), { signal: controller.signal });
        const event = new Event('x', { cancelable: true });
        same(target.dispatchEvent(event), false, 'a cancelled event');
        ok(event.defaultPrevented && event.target === target && !event.isTrusted && event.eventPhase === 0, 'its attributes');
        controller.abort();
        target.removeEventListener('x', listener);
        same(target.dispatchEvent(new Event('x')), true, 'nobody cancels');
        same(log, ['object x true', 'once', 'signal'], 'listeners');
        target.addEventListener('y', (event) => { event.stopImmediatePropagation(); log.push('first'); });
        target.addEventListener('y', () => log.push('second'));
        target.dispatchEvent(new CustomEvent('y', { detail: 5 }));
        same(log.at(-1), 'first', 'stopImmediatePropagation');
        same(new CustomEvent('y', { detail: { a: 1 } }).detail, { a: 1 }, 'CustomEvent');
        const error = new ErrorEvent('error', { message: 'm', filename: 'f', lineno: 1, colno: 2, error: 3 });
        same([error.message, error.filename, error.lineno, error.colno, error.error], ['m', 'f', 1, 2, 3], 'ErrorEvent');
        const rejection = new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(1), reason: 'r' });
        ok(rejection.promise instanceof Promise && rejection.reason === 'r', 'PromiseRejectionEvent');
        same([new MessageEvent('message', { data: 1, origin: 'o', lastEventId: 'i' })].map(({ data, origin, lastEventId, ports }) => [data, origin, lastEventId, ports]), [[1, 'o', 'i', []]], 'MessageEvent');
        throws(() => new Event(), 'TypeError', 'an event without a type');
        throws(() => target.dispatchEvent({}), 'TypeError', 'what is no event');
        throws(() => EventTarget.prototype.addEventListener.call({}, 'x', () => {}), 'TypeError', 'what is no target');
        let handled;
        addEventListener('error', (event) => { event.preventDefault(); handled = event.error; });
        reportError('reported');
        same(handled, 'reported', 'reportError');
        ",
    );
}

#[test]
fn rejections_are_events() {
    passes(
        r"
        const seen = [];
        onunhandledrejection = (event) => { event.preventDefault(); seen.push(['unhandled', event.reason]); };
        onrejectionhandled = (event) => { seen.push(['handled', event.promise === promise]); };
        const promise = Promise.reject('late');
        Promise.reject('in time').catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 1));
        promise.catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 1));
        same(seen, [['unhandled', 'late'], ['handled', true]], 'events');
        ",
    );
}

#[test]
fn dom_exceptions() {
    passes(
        r"
        const error = new DOMException('message', 'DataCloneError');
        same([error.name, error.message, error.code, String(error)], ['DataCloneError', 'message', 25, 'DataCloneError: message'], 'attributes');
        ok(error instanceof Error && error instanceof DOMException && error.stack.includes('program.mjs'), 'an error with a stack');
        same([new DOMException().name, new DOMException().code, new DOMException('', 'AbortError').code, DOMException.NOT_FOUND_ERR], ['Error', 0, 20, 8], 'defaults');
        const copy = structuredClone(error);
        ok(copy instanceof DOMException && copy.name === 'DataCloneError' && copy.message === 'message', 'a clone');
        ok(new QuotaExceededError('full') instanceof DOMException, 'QuotaExceededError');
        ",
    );
}

#[test]
fn aborting() {
    passes(
        r"
        const controller = new AbortController();
        let events = 0;
        controller.signal.onabort = () => events++;
        same([controller.signal.aborted, controller.signal.reason], [false, undefined], 'before');
        controller.abort(); controller.abort('again');
        same([controller.signal.aborted, controller.signal.reason.name, events], [true, 'AbortError', 1], 'after');
        throws(() => controller.signal.throwIfAborted(), 'AbortError', 'throwIfAborted');
        same(AbortSignal.abort(5).reason, 5, 'AbortSignal.abort');
        const timeout = AbortSignal.timeout(1);
        const keep = setTimeout(() => {}, 2 ** 30);
        await next(timeout, 'abort'); clearTimeout(keep);
        same(timeout.reason.name, 'TimeoutError', 'AbortSignal.timeout');
        const [a, b] = [new AbortController(), new AbortController()];
        const any = AbortSignal.any([a.signal, AbortSignal.any([b.signal])]);
        b.abort('b'); a.abort('a');
        same(any.reason, 'b', 'AbortSignal.any');
        throws(() => new AbortSignal(), 'TypeError', 'AbortSignal has no constructor');
        ",
    );
}

#[test]
fn performance_tells_the_time() {
    passes(
        r"
        const [a, b] = [performance.now(), performance.now()];
        ok(a > 0 && b >= a, 'now goes forward');
        ok(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 60_000, 'timeOrigin is the time of the start');
        const mark = performance.mark('m', { startTime: 10, detail: { d: 1 } });
        same([mark.name, mark.entryType, mark.startTime, mark.duration, mark.detail], ['m', 'mark', 10, 0, { d: 1 }], 'mark');
        performance.mark('n', { startTime: 25 });
        const measure = performance.measure('between', 'm', 'n');
        same([measure.startTime, measure.duration, measure.entryType], [10, 15, 'measure'], 'measure');
        same(performance.getEntriesByType('mark').map(({ name }) => name), ['m', 'n'], 'getEntriesByType');
        same(performance.getEntriesByName('between').length, 1, 'getEntriesByName');
        performance.clearMarks('m'); performance.clearMeasures();
        same(performance.getEntries().map(({ name }) => name), ['n'], 'getEntries');
        throws(() => performance.measure('x', 'missing'), 'SyntaxError', 'a mark that is not there');
        ok(typeof performance.toJSON().timeOrigin === 'number', 'toJSON');
        ",
    );
}

#[test]
fn text_encodings() {
    passes(
        r"
        const encoder = new TextEncoder();
        same(encoder.encode('aß語😀\ud800'), Uint8Array.of(97, 195, 159, 232, 170, 158, 240, 159, 152, 128, 239, 191, 189), 'encode');
        same(encoder.encoding, 'utf-8', 'encoding');
        const into = new Uint8Array(5);
        same(encoder.encodeInto('a語b😀', into), { read: 3, written: 5 }, 'encodeInto');
        same(new TextDecoder().decode(Uint8Array.of(0xef, 0xbb, 0xbf, 97, 255, 0xe8, 0xaa)), 'a\ufffd\ufffd', 'decode');
        same(new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.of(0xef, 0xbb, 0xbf)), '\ufeff', 'ignoreBOM');
        throws(() => new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(255)), 'TypeError', 'fatal');
        const stream = new TextDecoder();
        same(stream.decode(Uint8Array.of(0xe8, 0xaa), { stream: true }) + stream.decode(Uint8Array.of(0x9e), { stream: true }) + stream.decode(), '語', 'in pieces');
        same([new TextDecoder('latin1').encoding, new TextDecoder('utf-16').decode(Uint8Array.of(97, 0)), new TextDecoder('shift_jis').decode(Uint8Array.of(0x93, 0xfa))], ['windows-1252', 'a', '日'], 'other encodings');
        throws(() => new TextDecoder('no such'), 'RangeError', 'an unknown label');
        same(new TextDecoder().decode(new Uint8Array(new SharedArrayBuffer(2)).fill(65)), 'AA', 'shared memory');
        const text = new ReadableStream({ start(c) { c.enqueue('gr'); c.enqueue('ün \ud83d'); c.enqueue('\ude00'); c.close(); } });
        let back = '';
        for await (const part of text.pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream())) back += part;
        same(back, 'grün 😀', 'both streams');
        ",
    );
}

#[test]
fn urls() {
    passes(
        r"
        const url = new URL('../p/./q?x=1&y=a%20b#frag', 'https://us%65r:pa:ss@EXAMPLE.com:443/a/b/c');
        same([url.href, url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port, url.pathname, url.search, url.hash],
          ['https://us%65r:pa%3Ass@example.com/a/p/q?x=1&y=a%20b#frag', 'https://example.com', 'https:', 'us%65r', 'pa%3Ass', 'example.com', 'example.com', '', '/a/p/q', '?x=1&y=a%20b', '#frag'], 'parts');
        url.port = '8080'; url.pathname = '/ä b'; url.hash = ''; url.searchParams.set('y', 'ü&'); url.searchParams.append('x', '2');
        same(url.href, 'https://us%65r:pa%3Ass@example.com:8080/%C3%A4%20b?x=1&y=%C3%BC%26&x=2', 'setters');
        same([new URL('http://faß.example').hostname, new URL('http://0x7f.1/').hostname, new URL('http://[::0:1]/').host, new URL('file:///C|/x').pathname], ['xn--fa-hia.example', '127.0.0.1', '[::1]', '/C:/x'], 'hosts');
        const error = throws(() => new URL('no base'), 'TypeError', 'a relative URL');
        same([error.code, URL.canParse('x:'), URL.canParse('/x'), URL.parse('/x', 'a://b').href, URL.parse('nope')], ['ERR_INVALID_URL', true, false, 'a://b/x', null], 'canParse and parse');
        same([JSON.stringify(url) === JSON.stringify(url.href), String(url) === url.href], [true, true], 'as a string');
        const params = new URLSearchParams('?a=1&b=2&a=3&=&c');
        same([...params], [['a', '1'], ['b', '2'], ['a', '3'], ['', ''], ['c', '']], 'pairs');
        same([params.get('a'), params.getAll('a'), params.get('z'), params.has('a', '3'), params.size], ['1', ['1', '3'], null, true, 5], 'get');
        params.delete('a', '1'); params.sort(); params.set('d', '+ %');
        same(String(params), '=&a=3&b=2&c=&d=%2B+%25', 'toString');
        same([String(new URLSearchParams({ a: '1' })), String(new URLSearchParams([['b', '2']]))], ['a=1', 'b=2'], 'constructors');
        ",
    );
}

#[test]
fn base64() {
    passes(
        r"
        same([btoa(''), btoa('a'), btoa('ab'), btoa('abc'), btoa('\xff\xfe')], ['', 'YQ==', 'YWI=', 'YWJj', '//4='], 'btoa');
        same([atob(''), atob('YQ=='), atob(' Y\nWI '), atob('//4='), atob(null)], ['', 'a', 'ab', '\xff\xfe', '\x9e\xe9e'], 'atob');
        for (const bad of ['a', 'YQ=', '!', 'YQ===', '=']) throws(() => atob(bad), 'InvalidCharacterError', bad);
        throws(() => btoa('語'), 'InvalidCharacterError', 'beyond Latin-1');
        ",
    );
}

#[test]
fn compression() {
    passes(
        r"
        const through = async (stream, chunks) => {
          const writer = stream.writable.getWriter();
          const written = (async () => { for (const chunk of chunks) await writer.write(chunk); await writer.close(); })();
          written.catch(() => {});
          const parts = [];
          for await (const part of stream.readable) parts.push(...part);
          await written;
          return new Uint8Array(parts);
        };
        const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i) >> 7);
        for (const format of ['gzip', 'deflate', 'deflate-raw']) {
          const small = await through(new CompressionStream(format), [bytes.subarray(0, 10), bytes.subarray(10)]);
          ok(small.length > 0 && small.length < bytes.length, `${format} makes it smaller`);
          const pieces = Array.from({ length: Math.ceil(small.length / 1000) }, (_, i) => small.subarray(i * 1000, (i + 1) * 1000));
          const back = await through(new DecompressionStream(format), pieces);
          ok(back.length === bytes.length && back.every((byte, i) => byte === bytes[i]), `${format} comes back`);
          await rejects(through(new DecompressionStream(format), [small.subarray(0, small.length - 5)]), 'TypeError', `${format} cut off`);
          if (format !== 'deflate-raw') await rejects(through(new DecompressionStream(format), [Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)]), 'TypeError', `${format} of garbage`);
          await rejects(through(new DecompressionStream(format), [small, Uint8Array.of(0)]), 'TypeError', `${format} with bytes after its end`);
        }
        throws(() => new CompressionStream('zip'), 'TypeError', 'an unknown format');
        ",
    );
}

#[test]
fn streams() {
    passes(
        r"
        const numbers = () => { let i = 0; return new ReadableStream({ pull(c) { i < 5 ? c.enqueue(i++) : c.close(); } }); };
        const collect = async (stream) => { const all = []; for await (const item of stream) all.push(item); return all; };
        same(await collect(numbers()), [0, 1, 2, 3, 4], 'a readable stream is iterated');
        same(await collect(ReadableStream.from([1, 2])), [1, 2], 'from');
        const [left, right] = numbers().tee();
        same(await Promise.all([collect(left), collect(right)]), [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], 'tee');
        const doubled = new TransformStream({ transform(item, c) { c.enqueue(item * 2); }, flush(c) { c.enqueue('end'); } });
        same(await collect(numbers().pipeThrough(doubled)), [0, 2, 4, 6, 8, 'end'], 'transform');
        const written = [];
        await numbers().pipeTo(new WritableStream({ write(item) { written.push(item); }, close() { written.push('closed'); } }));
        same(written, [0, 1, 2, 3, 4, 'closed'], 'pipeTo');
        await rejects(collect(new ReadableStream({ start(c) { c.error(new RangeError('bad')); } })), 'RangeError', 'an error');
        const controller = new AbortController();
        const piped = new ReadableStream().pipeTo(new WritableStream(), { signal: controller.signal });
        controller.abort();
        await rejects(piped, 'AbortError', 'an aborted pipe');
        let cancelled;
        const cancellable = new ReadableStream({ cancel(reason) { cancelled = reason; } });
        await cancellable.cancel('why');
        same(cancelled, 'why', 'cancel');
        const byteStream = new ReadableStream({ type: 'bytes', pull(c) { const { view } = c.byobRequest; view[0] = 7; c.byobRequest.respond(1); } });
        const { value } = await byteStream.getReader({ mode: 'byob' }).read(new Uint8Array(4));
        same(value, Uint8Array.of(7), 'a byte stream fills the reader buffer');
        const full = new WritableStream({ write: () => new Promise(() => {}) }, new CountQueuingStrategy({ highWaterMark: 2 }));
        const writer = full.getWriter();
        same(writer.desiredSize, 2, 'desiredSize'); writer.write(1); writer.write(2);
        same(writer.desiredSize, 0, 'back pressure');
        same(new ByteLengthQueuingStrategy({ highWaterMark: 9 }).size(new Uint8Array(3)), 3, 'ByteLengthQueuingStrategy');
        throws(() => { const s = numbers(); s.getReader(); s.getReader(); }, 'TypeError', 'a locked stream');
        ",
    );
}

#[test]
fn crypto_gives_random_bytes() {
    passes(
        r"
        const bytes = new Uint8Array(64);
        ok(crypto.getRandomValues(bytes) === bytes && bytes.some((byte) => byte !== 0), 'getRandomValues fills');
        const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
        ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a) && a !== b, a);
        throws(() => crypto.getRandomValues(new Uint8Array(65537)), 'QuotaExceededError', 'too many');
        throws(() => crypto.getRandomValues(new Float32Array(1)), 'TypeMismatchError', 'floats');
        same(crypto.getRandomValues(new BigUint64Array(1)).length, 1, 'bigints');
        ",
    );
}

#[test]
fn navigator_tells_the_machine() {
    passes(
        r"
        ok(Number.isInteger(navigator.hardwareConcurrency) && navigator.hardwareConcurrency > 0, 'hardwareConcurrency');
        ok(/^Isolane\/\d/.test(navigator.userAgent), navigator.userAgent);
        ok(typeof navigator.language === 'string' && Object.isFrozen(navigator.languages), 'languages');
        ",
    );
}

#[test]
fn the_global_object_of_a_worker_is_the_standard_s() {
    passes(
        r"
        const worker = new Worker(`data:text/javascript,${encodeURIComponent(`postMessage([self === globalThis, self instanceof DedicatedWorkerGlobalScope, name, typeof close, typeof window, typeof importScripts])`)}`, { type: 'module', name: 'its name' });
        same((await next(worker)).data, [true, true, 'its name', 'function', 'undefined', 'undefined'], 'in a worker');
        ok(typeof postMessage === 'undefined' && globalThis === self, 'in the main scope');
        worker.terminate();
        ",
    );
}
