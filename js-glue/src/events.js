// @ts-check
// Events, in one place: events/event.js (Event, CustomEvent), events/event_target.js (EventTarget, dispatch), events/handlers.js
// (`on…` attributes), events/report.js (uncaught exceptions) and one file per further interface.

export { createCloseEvent, CloseEvent } from './events/close_event.js';
export {
  createErrorEvent,
  createPromiseRejectionEvent,
  ErrorEvent,
  isErrorEvent,
  PromiseRejectionEvent,
} from './events/error_event.js';
export {
  cancelEvent,
  createEvent,
  CustomEvent,
  Event,
  isBeingDispatched,
  isEvent,
  makeCancelable,
  setTrusted,
} from './events/event.js';
export {
  dispatchMessage,
  dispatchTrusted,
  EventTarget,
  isEventTarget,
  listenerCount,
  setGlobalTarget,
  setListenerHook,
} from './events/event_target.js';
export { defineEventHandler } from './events/handlers.js';
export { createMessageEvent, endMessageTask, MessageEvent, setMessagePortCheck } from './events/message_event.js';
export { reportException, setExceptionReporter } from './events/report.js';
