# What the README tells a newcomer to type. Each target installs what is missing first.

CARGO ?= $(shell command -v cargo || echo $(HOME)/.cargo/bin/cargo)

.PHONY: help setup demo build live test lint bench install package

help:
	@echo "make demo     install what is missing, build, score a shipped photo and show why in scored/"
	@echo "make live     install what is missing, build everything, open the window on the first camera"
	@echo "make test     install what is missing, build, run every test"
	@echo "make lint     check format and lints"
	@echo "make bench    measure every stage at three sizes"
	@echo "make install  put the programs into ~/.cargo/bin"
	@echo "make package  make a Debian package in target/debian/"

setup:
	@sh scripts/setup.sh

build: setup
	$(CARGO) build --release --locked --package pyrameeple

live: setup
	$(CARGO) build --release --locked --workspace
	target/release/pyrameeple live

# The exit code 1 of an unsure reading is an answer, not a failure.
demo: build
	target/release/pyrameeple score testdata/p010029.jpg --annotate scored || [ $$? -eq 1 ]

test: setup
	$(CARGO) test --workspace --locked

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

bench: setup
	$(CARGO) bench --locked --package pyrameeple

install: setup
	$(CARGO) install --locked --path .
	$(CARGO) install --locked --path live

package: setup
	sh scripts/package.sh
