#!/bin/sh
# Throws damaged input at the program: fuzz.sh [SECONDS for each target] [TARGET…]. Needs cargo-fuzz and Rust's nightly
# (`cargo install cargo-fuzz --locked`, `rustup toolchain install nightly`); with a stable Rust alone RUSTC_BOOTSTRAP=1 will do.
# What is found lies in fuzz/artifacts; `cargo +nightly fuzz run --sanitizer none TARGET FILE` shows it again.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- photo scene params record claims

# Seeds: one small photo in every format, what is done to a scene, the tunables, a match, and what people type.
for target in scene params record claims; do
    mkdir -p "fuzz/corpus/$target"
    cp "fuzz/seeds/$target"/* "fuzz/corpus/$target/"
done
mkdir -p fuzz/corpus/photo
cp testdata/formats/* fuzz/corpus/photo/

# The same versions of the libraries as in the program.
cp Cargo.lock fuzz/Cargo.lock
export RUSTC_WRAPPER="$PWD/fuzz/rustc.sh"

# RUSTC_BOOTSTRAP lets the stable Rust pass for a nightly one.
if [ -n "${RUSTC_BOOTSTRAP:-}" ]; then nightly=; else nightly=+nightly; fi

for target in "$@"; do
    # Longer input only takes longer: the largest seed of each, and room for some more.
    case $target in
        photo) most=50000 ;;
        scene) most=50 ;;
        claims) most=400 ;;
        *) most=16000 ;;
    esac
    # Without a sanitizer: the project's own code is safe Rust, and OpenCV is not built here.
    # shellcheck disable=SC2086 # nothing, or one word
    cargo $nightly fuzz run --sanitizer none "$target" -- -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=$most -print_final_stats=1
done
