#!/bin/sh
# Builds the Debian package of pyrameeple into target/debian/. Needs what a build needs and cargo-deb (`cargo install cargo-deb --locked`).
set -eu
cd "$(dirname "$0")/.."

command -v cargo-deb >/dev/null || {
    echo "package: cargo-deb is missing: type 'cargo install cargo-deb --locked'" >&2
    exit 1
}
cargo build --release --locked --workspace

# What the program prints about itself: manual pages and completions.
made=target/package
program=target/release/pyrameeple
rm -rf "$made"
mkdir -p "$made/man"
"$program" man "$made/man"
gzip -9 -n "$made"/man/*.1
for shell in bash zsh fish; do
    "$program" completions "$shell" >"$made/pyrameeple.$shell"
done
# The release profile keeps line tables for whoever builds it; in the package they would be five times the program.
cargo deb --locked --no-build --strip --no-dbgsym --no-separate-debug-symbols
