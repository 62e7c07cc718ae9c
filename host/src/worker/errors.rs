//! V8's exceptions as Rust's.

use super::outcome::UncaughtError;
use super::state::WorkerState;

/// Describes what was thrown. That may run getters of the script's, and what it has for the inspection of its own classes.
pub(crate) fn describe<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
) -> UncaughtError {
    let mut error = UncaughtError::default();
    place_of(scope, exception).put_into(&mut error);
    if WorkerState::of(scope).is_some_and(|state| state.is_stopped()) {
        return error;
    }
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
    // What more there is to an error a console shows best, each in its place and none of it twice.
    if error.stack.is_empty() || has_own(scope, object, "cause") || has_own(scope, object, "errors")
    {
        error.stack = shown(scope, exception);
    }
    error
}

fn has_own(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, name: &str) -> bool {
    let key = v8::String::new(scope, name);
    key.is_some_and(|key| object.has_own_property(scope, key.into()) == Some(true))
}

/// The value in short, as a console would show it.
fn shown<'s>(scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>) -> String {
    v8::tc_scope!(let scope, scope);
    let state = WorkerState::of(scope).filter(|state| !state.is_stopped());
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

/// Where an exception was made, in code that is the script's: an API that throws is not where a reader should look.
pub(crate) fn place_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
) -> Place {
    if let Some(place) = kept_place(scope, exception) {
        return place;
    }
    let message = v8::Exception::create_message(scope, exception);
    let place = Place::of(scope, message);
    if !(place.line == 0 || place.file.starts_with(GLUE)) {
        return place;
    }
    calling_place(scope, exception).unwrap_or_default()
}

/// How the glue's own scripts are named in stacks.
const GLUE: &str = "isolane:glue/";

/// The innermost frame of an error's stack that is not the glue's.
fn calling_place<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
) -> Option<Place> {
    let trace = v8::Exception::get_stack_trace(scope, exception)?;
    (0..trace.get_frame_count()).find_map(|index| {
        let frame = trace.get_frame(scope, index)?;
        let file = frame.get_script_name(scope)?.to_rust_string_lossy(scope);
        let line = frame.get_line_number();
        if file.starts_with(GLUE) || line == 0 {
            return None;
        }
        let source = frame
            .get_script_source(scope)
            .map(|source| source.to_rust_string_lossy(scope))
            .unwrap_or_default();
        Some(Place {
            file,
            line: u32::try_from(line).ok()?,
            column: u32::try_from(frame.get_column()).ok()?,
            source_line: Place::worth_showing(source.lines().nth(line - 1).unwrap_or_default()),
        })
    })
}

/// Where something is in a script.
#[derive(Clone, Default)]
pub(crate) struct Place {
    /// A URL.
    pub(crate) file: String,
    /// From 1; 0 if unknown.
    pub(crate) line: u32,
    /// From 1; 0 if unknown.
    pub(crate) column: u32,
    pub(crate) source_line: String,
}

impl Place {
    pub(crate) fn of(scope: &mut v8::PinScope, message: v8::Local<v8::Message>) -> Self {
        let file = message
            .get_script_resource_name(scope)
            .filter(|name| name.is_string());
        let source_line = message.get_source_line(scope);
        Self {
            file: file
                .map(|name| name.to_rust_string_lossy(scope))
                .unwrap_or_default(),
            line: message
                .get_line_number(scope)
                .and_then(|line| u32::try_from(line).ok())
                .unwrap_or(0),
            // V8 answers -1 as an unsigned number if the message has no place.
            column: u32::try_from(message.get_start_column().wrapping_add(1)).unwrap_or(0),
            source_line: source_line
                .map(|line| Self::worth_showing(&line.to_rust_string_lossy(scope)))
                .unwrap_or_default(),
        }
    }

    /// The line, unless it is one that nobody reads, such as a whole program without line ends.
    pub(crate) fn worth_showing(line: &str) -> String {
        const LONGEST: usize = 1_000;
        if line.len() > LONGEST {
            return String::new();
        }
        line.to_owned()
    }

    pub(crate) fn put_into(self, error: &mut UncaughtError) {
        error.file = self.file;
        error.line = self.line;
        error.column = self.column;
        error.source_line = self.source_line;
    }
}

pub(crate) fn set_stack(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, stack: &str) {
    if let (Some(key), Some(stack)) = (
        v8::String::new(scope, "stack"),
        v8::String::new(scope, stack),
    ) {
        object.define_own_property(
            scope,
            key.into(),
            stack.into(),
            v8::PropertyAttribute::DONT_ENUM,
        );
    }
}

/// Under it, an error that no code threw keeps its place.
fn place_key<'s>(scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Private>> {
    let name = v8::String::new(scope, "isolane:place")?;
    Some(v8::Private::for_api(scope, Some(name)))
}

pub(crate) fn set_place(
    scope: &mut v8::PinScope,
    object: v8::Local<v8::Object>,
    place: &Place,
) -> Option<()> {
    let key = place_key(scope)?;
    let file = v8::String::new(scope, &place.file)?.into();
    let line = v8::Integer::new_from_unsigned(scope, place.line).into();
    let column = v8::Integer::new_from_unsigned(scope, place.column).into();
    let source_line = v8::String::new(scope, &place.source_line)?.into();
    let parts = v8::Array::new_with_elements(scope, &[file, line, column, source_line]);
    object.set_private(scope, key, parts.into())?;
    Some(())
}

fn kept_place<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
) -> Option<Place> {
    if !exception.is_native_error() {
        return None;
    }
    let key = place_key(scope)?;
    let object = exception.try_cast::<v8::Object>().ok()?;
    let parts = object.get_private(scope, key)?.try_cast::<v8::Array>();
    let parts = parts.ok()?;
    Some(Place {
        file: parts.get_index(scope, 0)?.to_rust_string_lossy(scope),
        line: parts.get_index(scope, 1)?.uint32_value(scope)?,
        column: parts.get_index(scope, 2)?.uint32_value(scope)?,
        source_line: parts.get_index(scope, 3)?.to_rust_string_lossy(scope),
    })
}
