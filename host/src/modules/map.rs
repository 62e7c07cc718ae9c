//! The module map (HTML §8.1.6): every module of a worker, once per URL and type.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroI32;

use ::url::Url;

/// What an import asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ModuleType {
    JavaScript,
    /// `with { type: 'json' }`
    Json,
}

/// Modules of one hash, with their URLs.
type Located = Vec<(v8::Global<v8::Module>, Url)>;

#[derive(Default)]
pub(crate) struct ModuleMap {
    modules: RefCell<HashMap<(String, ModuleType), v8::Global<v8::Module>>>,
    /// URLs by V8's identity hash, which need not be unique.
    urls: RefCell<HashMap<NonZeroI32, Located>>,
    main: RefCell<Option<Url>>,
}

impl ModuleMap {
    pub(crate) fn get(&self, url: &Url, kind: ModuleType) -> Option<v8::Global<v8::Module>> {
        self.modules
            .borrow()
            .get(&(url.as_str().to_owned(), kind))
            .cloned()
    }

    pub(crate) fn insert(
        &self,
        scope: &mut v8::PinScope,
        url: &Url,
        kind: ModuleType,
        module: v8::Local<v8::Module>,
    ) {
        let handle = v8::Global::new(scope, module);
        self.urls
            .borrow_mut()
            .entry(module.get_identity_hash())
            .or_default()
            .push((handle.clone(), url.clone()));
        self.modules
            .borrow_mut()
            .insert((url.as_str().to_owned(), kind), handle);
    }

    /// A module whose graph did not load is forgotten, so that a later import tries again.
    pub(crate) fn remove(&self, url: &Url, kind: ModuleType) {
        self.modules
            .borrow_mut()
            .remove(&(url.as_str().to_owned(), kind));
    }

    pub(crate) fn url_of(&self, module: v8::Local<v8::Module>) -> Option<Url> {
        let urls = self.urls.borrow();
        urls.get(&module.get_identity_hash())?
            .iter()
            .find(|(known, _)| *known == module)
            .map(|(_, url)| url.clone())
    }

    pub(crate) fn set_main(&self, url: Url) {
        *self.main.borrow_mut() = Some(url);
    }

    pub(crate) fn main(&self) -> Option<Url> {
        self.main.borrow().clone()
    }

    /// Handles must not outlive the isolate.
    pub(crate) fn clear(&self, isolate: &mut v8::Isolate) {
        super::builtin::clear(isolate);
        self.modules.borrow_mut().clear();
        self.urls.borrow_mut().clear();
    }
}
