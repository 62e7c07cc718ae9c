//! V8's exceptions as Rust's.

use super::outcome::UncaughtError;

/// Describes what was thrown without running the script's code, except for getters that an error object itself has.
pub(crate) fn describe<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
) -> UncaughtError {
    let message = v8::Exception::create_message(scope, exception);
    let mut error = located(scope, message);
    if !exception.is_native_error() {
        error.message = shown(scope, exception);
        error.stack = format!("Uncaught {}", error.message);
        return error;
    }
    v8::tc_scope!(let scope, scope);
    let Ok(object) = exception.try_cast::<v8::Object>() else {
        return error;
    };
    error.name = property(scope, object, "name");
    error.message = property(scope, object, "message");
    error.stack = property(scope, object, "stack");
    if error.stack.is_empty() {
        error.stack = if error.message.is_empty() {
            error.name.clone()
        } else {
            format!("{}: {}", error.name, error.message)
        };
    }
    append_causes(scope, object, &mut error.stack, 0);
    error
}

fn append_causes<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    stack: &mut String,
    depth: usize,
) {
    const DEEPEST: usize = 8;
    let Some(key) = v8::String::new(scope, "cause") else {
        return;
    };
    if depth == DEEPEST || object.has_own_property(scope, key.into()) != Some(true) {
        return;
    }
    let Some(cause) = object.get(scope, key.into()) else {
        return;
    };
    stack.push_str("\n  [cause]: ");
    if cause.is_native_error()
        && let Ok(cause) = cause.try_cast::<v8::Object>()
    {
        let text = property(scope, cause, "stack");
        stack.push_str(&text.replace('\n', "\n  "));
        append_causes(scope, cause, stack, depth + 1);
    } else {
        let text = shown(scope, cause);
        stack.push_str(&text);
    }
}

/// The value in short, as a console would show it.
fn shown<'s>(scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>) -> String {
    v8::tc_scope!(let scope, scope);
    let state = super::state::WorkerState::of(scope);
    let text = state.and_then(|state| state.entry()?.call(scope, "inspect", &[value]));
    text.map_or_else(
        || "[object]".to_owned(),
        |text| text.to_rust_string_lossy(scope),
    )
}

fn property<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
) -> String {
    let value = v8::String::new(scope, name).and_then(|key| object.get(scope, key.into()));
    value
        .filter(|value| value.is_string())
        .map(|value| value.to_rust_string_lossy(scope))
        .unwrap_or_default()
}

fn located<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    message: v8::Local<'s, v8::Message>,
) -> UncaughtError {
    let file = message
        .get_script_resource_name(scope)
        .filter(|name| name.is_string());
    let source_line = message.get_source_line(scope);
    UncaughtError {
        file: file
            .map(|name| name.to_rust_string_lossy(scope))
            .unwrap_or_default(),
        line: message
            .get_line_number(scope)
            .and_then(|line| u32::try_from(line).ok())
            .unwrap_or(0),
        column: column_of(message),
        source_line: source_line
            .map(|line| line.to_rust_string_lossy(scope))
            .unwrap_or_default(),
        ..UncaughtError::default()
    }
}

/// The column from 1; 0 if the message has no place, for which V8 answers -1 as an unsigned number.
pub(crate) fn column_of(message: v8::Local<v8::Message>) -> u32 {
    u32::try_from(message.get_start_column().wrapping_add(1)).unwrap_or(0)
}
