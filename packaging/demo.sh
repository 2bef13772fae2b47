#!/usr/bin/env bash
# Sets up, builds, runs the demo and opens the workbench: packaging/demo.sh [options of strata-run demo]
# Without a display it writes screenshots and reports/demo/index.html to the workspace instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")

# The first build is a unity build. For development use: packaging/setup.sh release -DSTRATA_UNITY=OFF
quick=()
[ -e "$root/build/release/CMakeCache.txt" ] || quick=(-DSTRATA_UNITY=ON)
"$here/setup.sh" release ${quick[@]+"${quick[@]}"}
cmake --build "$root/build/release" --target strata strata-run --parallel "$(nproc)"
STRATA_BIN=$root/build/release/bin exec "$here/strata-demo" "$@"
