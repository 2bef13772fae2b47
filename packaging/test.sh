#!/usr/bin/env bash
# Sets up, builds and runs the tests: packaging/test.sh [PRESET] [--slow]
# Tests labelled slow run only with --slow. PRESET is release (default), dev, asan or headless.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
preset=release slow=no
for argument in "$@"; do
  case "$argument" in
    --slow) slow=yes ;;
    -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
    *) preset=$argument ;;
  esac
done
"$here/setup.sh" "$preset"
cd "$here/.."
cmake --build --preset "$preset" --parallel "$(nproc)"
if [ $slow = yes ]; then ctest --preset "$preset"; else ctest --preset "$preset" -LE slow; fi
