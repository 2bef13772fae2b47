#!/usr/bin/env bash
# Sets up, builds, runs the demo and opens the workbench: packaging/demo.sh [options of strata-run demo]
# Without a display it writes screenshots and reports/demo/index.html to the workspace instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
workspace=${STRATA_WORKSPACE:-$HOME/Strata}
export STRATA_WORKSPACE=$workspace

# The first build is a unity build. For development use: packaging/setup.sh release -DSTRATA_UNITY=OFF
quick=()
[ -e "$root/build/release/CMakeCache.txt" ] || quick=(-DSTRATA_UNITY=ON)
"$here/setup.sh" release ${quick[@]+"${quick[@]}"}
cmake --build "$root/build/release" --target strata strata-run --parallel "$(nproc)"
"$root/build/release/bin/strata-run" demo "$@"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$root/build/release/bin/strata" --workspace "$workspace"
fi
echo "No display (DISPLAY and WAYLAND_DISPLAY are not set): writing screenshots of the window instead."
"$root/build/release/bin/strata" --workspace "$workspace" --screenshot "$workspace/reports/demo/pictures"
"$root/build/release/bin/strata-run" demo --report-only
echo "Screenshots: $workspace/reports/demo/pictures"
echo "Report:      $workspace/reports/demo/index.html"
