#!/bin/sh
# Makes sure that everything needed to build is there, and installs what is missing where it can (Debian, Ubuntu and kin).
# Elsewhere it prints what to type. Does nothing, quickly, when nothing is missing.
set -eu

RUST=1.95 # rust-version in Cargo.toml

say() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# The opencv crate asks clang for the C++ headers, links with OpenCV's core, and compiles a little C++ of its own.
opencv_is_there() { have pkg-config && { pkg-config --exists opencv4 || pkg-config --exists opencv; }; }
libclang_is_there() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    for library in /usr/lib/llvm-*/lib/libclang.so* /usr/lib/*/libclang-[0-9]*.so* /usr/lib/*/libclang.so* /usr/lib/libclang.so* /usr/lib64/libclang.so* \
        /opt/homebrew/opt/llvm/lib/libclang.dylib /usr/local/opt/llvm/lib/libclang.dylib; do
        [ -e "$library" ] && return 0
    done
    return 1
}
everything_is_there() { opencv_is_there && have clang && libclang_is_there && have c++; }

print_help() {
    cat >&2 <<'HELP'
setup: to build pyrameeple, install OpenCV 4 with its headers, clang with libclang, a C++ compiler and pkg-config:

  Debian, Ubuntu:  sudo apt-get install -y --no-install-recommends libopencv-dev clang g++ pkg-config
  Fedora:          sudo dnf install -y opencv-devel clang clang-devel gcc-c++ pkgconf-pkg-config
  Arch:            sudo pacman -S --needed opencv clang gcc pkgconf
  macOS:           brew install opencv llvm pkgconf
                   export LIBCLANG_PATH="$(brew --prefix llvm)/lib"
  Windows:         winget install LLVM.LLVM
                   choco install opencv
                   setx OPENCV_LINK_LIBS opencv_world4110
                   setx OPENCV_LINK_PATHS C:\tools\opencv\build\x64\vc16\lib
                   setx OPENCV_INCLUDE_PATHS C:\tools\opencv\build\include
                   (the number in opencv_world4110 is that of the file in OPENCV_LINK_PATHS; put
                   C:\tools\opencv\build\x64\vc16\bin on the Path; or use vcpkg: vcpkg install opencv4)

then try again.
HELP
}

if ! have cargo; then
    # Where rustup puts it; a fresh shell finds it there, this one may not yet.
    [ -x "$HOME/.cargo/bin/cargo" ] || {
        say "Rust's cargo is missing: install Rust $RUST or newer from https://rustup.rs"
        exit 1
    }
    PATH="$HOME/.cargo/bin:$PATH"
fi
version=$(cargo --version | cut -d' ' -f2)
if [ "$(printf '%s\n%s\n' "$RUST" "$version" | sort -t. -k1,1n -k2,2n | head -n 1)" != "$RUST" ]; then
    say "cargo is version $version, $RUST or newer is needed: type 'rustup update' (or install Rust from https://rustup.rs)"
    exit 1
fi

everything_is_there && exit 0

if have apt-get; then
    sudo=
    if [ "$(id -u)" != 0 ]; then
        # A password can be asked for only where somebody sits at a terminal.
        if have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then sudo=sudo; else
            print_help
            exit 1
        fi
    fi
    say "installing OpenCV and clang (some 300 MB to fetch, 1.3 GB on disk on a bare system)"
    export DEBIAN_FRONTEND=noninteractive
    $sudo apt-get update -q >&2
    $sudo apt-get install -y -q --no-install-recommends libopencv-dev clang g++ pkg-config >&2
    everything_is_there && exit 0
    say "something is still missing after the installation"
fi
print_help
exit 1
