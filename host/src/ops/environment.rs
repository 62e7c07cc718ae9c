//! The environment variables of one worker.
//!
//! A worker never touches the process's variables, which all threads share and which are not safe to write. It sees a
//! snapshot of them, taken by the embedder and shared by all workers, under a layer of its own: what it writes lands
//! there, and so do the variables that its creator gave it by name.
//!
//! The layers differ in permission too. A variable of the snapshot belongs to the host and is read only with the
//! permission for its name; a variable of the worker's own layer was put there by scripts, and is theirs to read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The host's variables, shared by the workers that inherit them.
pub(crate) type HostVariables = Arc<BTreeMap<String, String>>;

/// A handle to a worker's variables. A clone shows the same variables (`SHARE_ENV`); [`fork`](Self::fork) copies them.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    layers: Arc<RwLock<Layers>>,
}

#[derive(Clone, Debug)]
struct Layers {
    /// `None` for a worker whose creator listed all of its variables.
    host: Option<HostVariables>,
    /// Copied on the first write after a fork. A `None` hides the host's variable of that name: it was deleted.
    own: Arc<BTreeMap<String, Option<String>>>,
}

/// Where a name leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Settled by the worker's own layer, which needs no permission.
    Own(Option<String>),
    /// The host's to answer, after a permission check: see [`Environment::host_value`].
    Host,
}

impl Environment {
    /// Variables of the host, to be read with permission.
    pub(crate) fn inheriting(host: HostVariables) -> Self {
        Self::from_layers(Some(host), BTreeMap::new())
    }

    /// Just these variables, all of them the worker's own.
    pub(crate) fn of<I>(variables: I) -> Self
    where
        I: IntoIterator<Item = (String, String)>,
    {
        Self::from_layers(
            None,
            variables
                .into_iter()
                .map(|(name, value)| (name, Some(value)))
                .collect(),
        )
    }

    fn from_layers(host: Option<HostVariables>, own: BTreeMap<String, Option<String>>) -> Self {
        Self {
            layers: Arc::new(RwLock::new(Layers {
                host,
                own: Arc::new(own),
            })),
        }
    }

    /// A snapshot of the process's variables. Names and values that are not Unicode are left out: a script could not
    /// spell them.
    pub(crate) fn host_variables() -> HostVariables {
        let variables = std::env::vars_os();
        Arc::new(
            variables
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        )
    }

    /// A copy that shares nothing but memory: the default for a worker that this worker starts.
    #[must_use]
    pub(crate) fn fork(&self) -> Self {
        Self {
            layers: Arc::new(RwLock::new(self.read().clone())),
        }
    }

    /// Looks `name` up, as far as that needs no permission.
    pub(crate) fn lookup(&self, name: &str) -> Lookup {
        let layers = self.read();
        match (layers.own.get(name), &layers.host) {
            (Some(own), _) => Lookup::Own(own.clone()),
            (None, None) => Lookup::Own(None),
            (None, Some(_)) => Lookup::Host,
        }
    }

    /// The host's variable. The caller has checked the permission for `name`.
    pub(crate) fn host_value(&self, name: &str) -> Option<String> {
        self.read().host.as_ref()?.get(name).cloned()
    }

    /// Sets a variable of the worker's own.
    pub(crate) fn set(&self, name: String, value: String) {
        Arc::make_mut(&mut self.write().own).insert(name, Some(value));
    }

    /// Deletes a variable, for this worker.
    pub(crate) fn remove(&self, name: &str) {
        let mut layers = self.write();
        if layers.host.is_some() {
            Arc::make_mut(&mut layers.own).insert(name.to_owned(), None);
        } else {
            Arc::make_mut(&mut layers.own).remove(name);
        }
    }

    /// Whether the list of names tells something about the host.
    pub(crate) fn inherits(&self) -> bool {
        self.read().host.is_some()
    }

    /// All names, sorted. The caller has checked the permission if the worker [`inherits`](Self::inherits).
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let layers = self.read();
        let hidden = |name: &&String| !layers.own.contains_key(*name);
        let host = layers
            .host
            .iter()
            .flat_map(|host| host.keys())
            .filter(hidden)
            .cloned();
        let own = layers
            .own
            .iter()
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.clone());
        host.chain(own).collect()
    }

    // No code that holds the lock can panic half-way through a change, so a poisoned lock guards sound data.
    fn read(&self) -> RwLockReadGuard<'_, Layers> {
        self.layers.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Layers> {
        self.layers.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> HostVariables {
        Arc::new(
            [("HOME", "/root"), ("LANG", "C")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
        )
    }

    fn names(environment: &Environment) -> Vec<String> {
        environment.names().into_iter().collect()
    }

    #[test]
    fn own_variables_hide_the_hosts() {
        let environment = Environment::inheriting(host());
        assert_eq!(environment.lookup("HOME"), Lookup::Host);
        environment.set("HOME".to_owned(), "/tmp".to_owned());
        assert_eq!(
            environment.lookup("HOME"),
            Lookup::Own(Some("/tmp".to_owned()))
        );
        environment.remove("HOME");
        assert_eq!(environment.lookup("HOME"), Lookup::Own(None));
        assert_eq!(names(&environment), ["LANG"]);
    }

    #[test]
    fn a_fork_is_apart_and_a_clone_is_not() {
        let parent = Environment::inheriting(host());
        let shared = parent.clone();
        let forked = parent.fork();
        parent.set("A".to_owned(), "1".to_owned());
        assert_eq!(shared.lookup("A"), Lookup::Own(Some("1".to_owned())));
        assert_eq!(forked.lookup("A"), Lookup::Host);
        assert_eq!(forked.host_value("A"), None);
    }

    #[test]
    fn listed_variables_need_no_permission() {
        let environment = Environment::of([("A".to_owned(), "1".to_owned())]);
        assert!(!environment.inherits());
        assert_eq!(environment.lookup("HOME"), Lookup::Own(None));
        environment.remove("A");
        assert!(environment.names().is_empty());
    }
}
