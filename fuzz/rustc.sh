#!/bin/sh
# What cargo calls in place of rustc, for the fuzz targets: traces no coverage in libraries of arithmetic. Which way through a
# matrix product was taken tells the fuzzer nothing, slows every reading down, and takes minutes to compile.
rustc=$1
shift
case " $* " in
    *" --crate-name rten"* | *" --crate-name opencv "* | *" --crate-name nalgebra "* | *" --crate-name tiny_skia"*)
        for argument; do
            shift
            case $argument in
                -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-* | -Ccodegen-units=1) ;;
                *) set -- "$@" "$argument" ;;
            esac
        done
        ;;
esac
exec "$rustc" "$@"
