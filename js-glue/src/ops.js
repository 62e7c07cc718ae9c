// @ts-check
/**
 * The host's functions.
 *
 * The host puts them on a global while the start-up snapshot is made and takes the global away again, so that only the glue holds them. The table of
 * their names and implementations is `host/src/ops/table.rs`; each is documented at its Rust function.
 * @type {any}
 */
export const ops = /** @type {any} */ (globalThis).__isolane_ops;
