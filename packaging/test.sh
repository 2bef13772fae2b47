#!/usr/bin/env bash
# Sets up, builds and runs the tests: packaging/test.sh [PRESET] [--slow] [--without-torch] [-D...] [options of ctest]
# PRESET is release (default), dev, asan or headless. Tests labelled slow run only with --slow. --without-torch builds
# and runs only the tests that need no libtorch. -D... is passed to cmake; other options such as "-R NAME" to ctest.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
preset=release target=all left_out=slow settings=() chosen=()
case "${1:-}" in '' | -*) ;; *) preset=$1; shift ;; esac
while [ $# -gt 0 ]; do
  case "$1" in
    --slow) left_out=${left_out#slow} ;;
    --without-torch) target=tests_without_torch ;;
    -D?*) settings+=("$1") ;;
    -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
    *) chosen+=("$1") ;;
  esac
  shift
done
# The first build is a unity build, as that of packaging/demo.sh.
[ -e "$here/../build/$preset/CMakeCache.txt" ] || settings=(-DSTRATA_UNITY=ON ${settings[@]+"${settings[@]}"})
[ $target = all ] || left_out=${left_out:+$left_out|}torch
"$here/setup.sh" "$preset" --tests ${settings[@]+"${settings[@]}"}
cd "$here/.."
cmake --build --preset "$preset" --target $target --parallel "$(nproc)"
# Twice as many at a time as there are cores: those of the window wait for a third of their time.
ctest --preset "$preset" --parallel $((2 * $(nproc))) ${left_out:+-LE "$left_out"} ${chosen[@]+"${chosen[@]}"}
