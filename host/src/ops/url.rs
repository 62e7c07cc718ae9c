//! URLs for `url.js` (URL §6.1). A URL crosses as its serialisation, which is ASCII, and the offsets of its components.

mod escape;
mod parser;
mod path;
mod record;

use super::prelude::*;
use record::{Component, Serialized};

/// `ops.urlParse(input, base | undefined, offsets: Uint32Array) -> string | undefined`: the serialisation, its offsets written to `offsets`;
/// undefined when `input` or `base` is not valid.
pub(crate) fn url_parse(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let input = text(scope, args.get(0));
    let base = base_argument(scope, args.get(1));
    if let Some(url) = record::parse(&input, base.as_deref()) {
        let Serialized { href, offsets } = url.serialize();
        write_bytes(args.get(2), 0, bytemuck::bytes_of(&offsets));
        if href == input {
            rv.set(args.get(0));
        } else {
            set_text(scope, &mut rv, &href);
        }
    }
}

/// `ops.urlCanParse(input, base | undefined) -> boolean`.
pub(crate) fn url_can_parse(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let input = text(scope, args.get(0));
    let base = base_argument(scope, args.get(1));
    rv.set_bool(record::parse(&input, base.as_deref()).is_some());
}

/// `ops.urlSet(href, component, value, offsets: Uint32Array) -> string | undefined`: what a setter of the API makes of `href`; undefined when it
/// leaves the URL as it is.
pub(crate) fn url_set(
    scope: &mut v8::PinScope,
    args: v8::FunctionCallbackArguments,
    mut rv: v8::ReturnValue,
) {
    let href = text(scope, args.get(0));
    let component = Component::from_number(uint(scope, args.get(1)));
    let value = text(scope, args.get(2));
    let (Some(component), Some(mut url)) = (component, record::parse(&href, None)) else {
        return;
    };
    url.set(component, &value);
    let changed = url.serialize();
    if changed.href != href {
        write_bytes(args.get(3), 0, bytemuck::bytes_of(&changed.offsets));
        set_text(scope, &mut rv, &changed.href);
    }
}

fn base_argument(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<String> {
    (!value.is_undefined()).then(|| text(scope, value))
}
