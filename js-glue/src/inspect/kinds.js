// @ts-check
// What an object is inside, whatever it claims to be: answered by the engine, so no user code runs and no exception
// is thrown and caught to find out.

/**
 * The numbers that `ops.valueKind(value)` returns. The host has the same table (`ops/inspection.rs`).
 */
export const Kind = {
  OTHER: 0,
  PROXY: 1,
  ASYNC_FUNCTION: 2,
  GENERATOR_FUNCTION: 3,
  ASYNC_GENERATOR_FUNCTION: 4,
  ARGUMENTS: 5,
  MAP: 6,
  SET: 7,
  MAP_ITERATOR: 8,
  SET_ITERATOR: 9,
  WEAK_MAP: 10,
  WEAK_SET: 11,
  PROMISE: 12,
  DATE: 13,
  REG_EXP: 14,
  ERROR: 15,
  ARRAY_BUFFER: 16,
  SHARED_ARRAY_BUFFER: 17,
  DATA_VIEW: 18,
  TYPED_ARRAY: 19,
  BOXED_NUMBER: 20,
  BOXED_STRING: 21,
  BOXED_BOOLEAN: 22,
  BOXED_BIGINT: 23,
  BOXED_SYMBOL: 24,
  MODULE_NAMESPACE: 25,
};
