//! Who asked for a module: places of imports, and how errors tell them.

use std::rc::Rc;

use ::url::Url;

use super::resolve::shortened;
use crate::worker::errors::{self, Place};

/// Who asked for a module, and who asked for that one; the worker's first module was asked for by nobody.
pub(crate) struct Importer {
    pub(crate) place: Place,
    pub(crate) above: Option<Rc<Importer>>,
}

/// A chain may be longer than the thread's stack is deep: it is taken apart link by link.
impl Drop for Importer {
    fn drop(&mut self) {
        let mut next = self.above.take();
        while let Some(mut importer) = next.and_then(Rc::into_inner) {
            next = importer.above.take();
        }
    }
}

/// `\n    imported from …` for each module of the chain; of a long one, its two ends.
pub(super) fn chain(importer: Option<&Rc<Importer>>) -> String {
    const SHOWN: usize = 10;
    let importers: Vec<&Rc<Importer>> =
        std::iter::successors(importer, |importer| importer.above.as_ref()).collect();
    let lines = |importers: &[&Rc<Importer>]| -> String {
        let line =
            |importer: &&Rc<Importer>| format!("\n    imported from {}", shown(&importer.place));
        importers.iter().map(line).collect()
    };
    if importers.len() <= 2 * SHOWN {
        return lines(&importers);
    }
    let (first, last) = (&importers[..SHOWN], &importers[importers.len() - SHOWN..]);
    let left_out = importers.len() - 2 * SHOWN;
    format!(
        "{}\n    imported through {left_out} modules more{}",
        lines(first),
        lines(last)
    )
}

/// `file:///x.mjs:3:8`
pub(super) fn shown(place: &Place) -> String {
    let file = Url::parse(&place.file).map_or_else(|_| place.file.clone(), |url| shortened(&url));
    if place.line == 0 {
        return file;
    }
    format!("{file}:{}:{}", place.line, place.column)
}

/// Sets the stack of an error that no code threw: what V8 says of it, its own place if it has one, and who imported the module it is in.
pub(super) fn trace<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    exception: v8::Local<'s, v8::Value>,
    place: Option<Place>,
    importer: Option<&Rc<Importer>>,
) {
    let Ok(object) = exception.try_cast::<v8::Object>() else {
        return;
    };
    let message = v8::Exception::create_message(scope, exception);
    let text = message.get(scope).to_rust_string_lossy(scope);
    let head = text.strip_prefix("Uncaught ").unwrap_or(&text);
    let at = place
        .as_ref()
        .map(|place| format!("\n    at {}", shown(place)))
        .unwrap_or_default();
    let stack = format!("{head}{at}{}", chain(importer));
    errors::set_stack(scope, object, &stack);
    // Where a reader should look: the fault itself, else the import.
    if let Some(place) = place.as_ref().or(importer.map(|importer| &importer.place)) {
        errors::set_place(scope, object, place);
    }
}
