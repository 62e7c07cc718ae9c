//! The module map (HTML §8.1.6): every module of a worker, once per URL and type.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroI32;
use std::rc::Rc;

use ::url::Url;

use super::importer::Importer;

/// What an import asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ModuleType {
    JavaScript,
    /// `with { type: 'json' }`
    Json,
}

/// A module, where it came from, and who asked for it first.
struct Entry {
    module: v8::Global<v8::Module>,
    hash: NonZeroI32,
    importer: Option<Rc<Importer>>,
}

/// A module and its URL.
type Named = (v8::Global<v8::Module>, Url);

#[derive(Default)]
pub(crate) struct ModuleMap {
    modules: RefCell<HashMap<(String, ModuleType), Entry>>,
    /// URLs by V8's identity hash, which need not be unique.
    urls: RefCell<HashMap<NonZeroI32, Vec<Named>>>,
    main: RefCell<Option<Url>>,
}

impl ModuleMap {
    pub(crate) fn get(&self, url: &Url, kind: ModuleType) -> Option<v8::Global<v8::Module>> {
        let modules = self.modules.borrow();
        let entry = modules.get(&(url.as_str().to_owned(), kind))?;
        Some(entry.module.clone())
    }

    pub(crate) fn insert(
        &self,
        scope: &mut v8::PinScope,
        url: &Url,
        kind: ModuleType,
        module: v8::Local<v8::Module>,
        importer: Option<Rc<Importer>>,
    ) {
        let handle = v8::Global::new(scope, module);
        let hash = module.get_identity_hash();
        self.urls
            .borrow_mut()
            .entry(hash)
            .or_default()
            .push((handle.clone(), url.clone()));
        let entry = Entry {
            module: handle,
            hash,
            importer,
        };
        self.modules
            .borrow_mut()
            .insert((url.as_str().to_owned(), kind), entry);
    }

    /// A module whose graph did not load is forgotten, so that a later import tries again.
    pub(crate) fn remove(&self, url: &Url, kind: ModuleType) -> Option<v8::Global<v8::Module>> {
        let key = (url.as_str().to_owned(), kind);
        let entry = self.modules.borrow_mut().remove(&key)?;
        if let Some(same_hash) = self.urls.borrow_mut().get_mut(&entry.hash) {
            same_hash.retain(|(known, _)| *known != entry.module);
        }
        Some(entry.module)
    }

    pub(crate) fn url_of(&self, module: v8::Local<v8::Module>) -> Option<Url> {
        let urls = self.urls.borrow();
        urls.get(&module.get_identity_hash())?
            .iter()
            .find(|(known, _)| *known == module)
            .map(|(_, url)| url.clone())
    }

    /// Who asked first for the JavaScript module of this URL.
    pub(crate) fn importer_of(&self, url: &str) -> Option<Rc<Importer>> {
        let modules = self.modules.borrow();
        let entry = modules.get(&(url.to_owned(), ModuleType::JavaScript))?;
        entry.importer.clone()
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
