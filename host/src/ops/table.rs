// Every op: its name in the glue, and the function behind it.
//
// Two macros read this list. In `ops/mod.rs` it becomes the table of V8's external references; in `build.rs`, which makes the start-up snapshot
// and cannot link the functions of the crate it builds, only the names count. A snapshot refers to its functions by their place in the list.
op_table! {
    // Event loop
    checkpoint: event_loop::checkpoint,
    wakeLocal: event_loop::wake_local,
    setTimerState: event_loop::set_timer_state,
    setAlive: event_loop::set_alive,
    enqueueMicrotask: event_loop::enqueue_microtask,
    now: event_loop::now,
    timeOrigin: event_loop::time_origin,
    reportUncaught: event_loop::report_uncaught,
    exitWorker: event_loop::exit_worker,
    // Messages
    channelCreate: messaging::channel_create,
    laneBuffer: messaging::lane_buffer,
    laneSignal: messaging::lane_signal,
    laneGrow: messaging::lane_grow,
    laneFollow: messaging::lane_follow,
    laneRequeue: messaging::lane_requeue,
    lanePushParcel: messaging::lane_push_parcel,
    lanePopParcel: messaging::lane_pop_parcel,
    portDetach: messaging::port_detach,
    portClose: messaging::port_close,
    // Structured clone
    serialize: cloning::serialize,
    deserialize: cloning::deserialize,
    parcelDrop: cloning::parcel_drop,
    isTransferableBuffer: cloning::is_transferable_buffer,
    attachShared: cloning::attach_shared,
    detachShared: cloning::detach_shared,
    // Workers
    workerCreate: workers::worker_create,
    workerTerminate: workers::worker_terminate,
    workerSetRef: workers::worker_set_ref,
    // Modules
    resolveUrl: modules::resolve_url,
    // Values that only the engine can see into
    proxyDetails: inspection::proxy_details,
    promiseDetails: inspection::promise_details,
    previewEntries: inspection::preview_entries,
    isModuleNamespace: inspection::is_module_namespace,
    resourceFree: inspection::resource_free,
    hardwareConcurrency: inspection::hardware_concurrency,
    version: inspection::version,
    // WebAssembly guests
    memoryCreate: wasm::memory_create,
    memoryBuffer: wasm::memory_buffer,
    memoryGrow: wasm::memory_grow,
    guestCompile: wasm::guest_compile,
    guestExports: wasm::guest_exports,
    guestImports: wasm::guest_imports,
    guestInstantiate: wasm::guest_instantiate,
    guestCall: wasm::guest_call,
    guestGlobal: wasm::guest_global,
}
