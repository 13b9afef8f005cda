#!/bin/sh
# Throws damaged input at the program: fuzz.sh [SECONDS for each target] [TARGET…]. Needs cargo-fuzz and Rust's nightly
# (`cargo install cargo-fuzz`, `rustup toolchain install nightly`); with a stable Rust alone RUSTC_BOOTSTRAP=1 will do.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- photo params record claims

# Seeds: one small photo in every format, the tunables, a match, and what people type.
seed() { mkdir -p "fuzz/corpus/$1"; }
seed photo; cp testdata/formats/* fuzz/corpus/photo/
seed params; cp fuzz/seeds/params/* fuzz/corpus/params/
seed record; cp fuzz/seeds/record/* fuzz/corpus/record/
seed claims; cp fuzz/seeds/claims/* fuzz/corpus/claims/

# RUSTC_BOOTSTRAP lets the stable Rust pass for a nightly one.
if [ -n "${RUSTC_BOOTSTRAP:-}" ]; then nightly=; else nightly=+nightly; fi

for target in "$@"; do
    # Without a sanitizer: the project's own code is safe Rust, and OpenCV is not built here.
    # shellcheck disable=SC2086 # nothing, or one word
    cargo $nightly fuzz run --sanitizer none "$target" -- -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=65536 -print_final_stats=1
done
