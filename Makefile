# `make demo` and `make test` each work alone on a fresh machine with git, make and rustup.
# tools/setup.sh comes first everywhere: it checks the toolchain and the linker, and fetches or builds V8.

SHELL := /bin/bash
.DEFAULT_GOAL := help
# rustup's folder, for a shell that was open when rustup was installed.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

DARKROOM := examples/darkroom
PICTURE := target/demo/darkroom.png
FUZZ_SECONDS ?= 60
ROUNDS ?= 5

##@ Run
.PHONY: demo
demo: setup ## Sharpen a photo on several workers; the picture goes to target/demo
	@mkdir -p $(dir $(PICTURE))
	cargo run --release -p isolane --bin isolane -- run \
	  --allow-read=$(DARKROOM) --allow-write=$(patsubst %/,%,$(dir $(PICTURE))) \
	  $(DARKROOM)/main.mjs $(DARKROOM)/photo.png $(PICTURE)

.PHONY: bench
bench: setup ## Run the benches
	cargo bench

.PHONY: bench-peers
bench-peers: setup ## Compare with Node, Deno and Bun (ROUNDS=5, CELLS=… for some)
	tools/peers.sh
	cargo build --release -p isolane --bin isolane
	cargo run --release -p isolane-benches --bin peers -- --rounds $(ROUNDS) $(CELLS)

##@ Check
.PHONY: test
test: setup ## Run all tests
	cargo test --workspace

.PHONY: soak
soak: setup ## The long tests of the lanes at their whole length (some minutes)
	ISOLANE_SOAK=1 cargo test --release -p isolane-tests --test integration -- flow:: lanes:: ports:: --test-threads 2

.PHONY: lint
lint: setup ## Formatting, clippy and the types of the JavaScript glue
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	tools/check-glue.sh

.PHONY: docs
docs: setup ## Build the documentation, warnings denied
	RUSTDOCFLAGS="$(RUSTDOCFLAGS) -D warnings" cargo doc --workspace --no-deps

##@ Check the lanes deeply (guest-abi)
.PHONY: loom
loom: toolchain ## Every order of the accesses to a lane, under loom
	tools/loom.sh

.PHONY: sanitize
sanitize: toolchain ## AddressSanitizer and ThreadSanitizer
	tools/sanitize.sh

.PHONY: miri
miri: toolchain ## Undefined behaviour, by Miri (nightly)
	tools/miri.sh

.PHONY: fuzz
fuzz: toolchain ## Fuzz the readers of guest memory for FUZZ_SECONDS (60) each
	tools/fuzz.sh $(FUZZ_SECONDS)

##@ Other
.PHONY: setup
setup: ## What the other targets need: checks, and V8
	@tools/setup.sh

# The lane crate does without V8.
.PHONY: toolchain
toolchain:
	@tools/setup.sh --without-v8

.PHONY: clean
clean: ## Remove what was built (V8's library in .v8 stays)
	cargo clean

.PHONY: help
help: ## This list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
