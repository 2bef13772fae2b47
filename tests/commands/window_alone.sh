#!/usr/bin/env bash
# The window's program on a computer without a display and a session: what it writes besides screenshots.
. "$(dirname "$0")/checks.bash"
window=$(dirname "$STRATA_RUN")/strata
[ -e "$window" ] || { echo "the window is not built"; exit $([ -n "${CI:-}" ] && echo 1 || echo 77); }
in_workspace
run runs list >/dev/null || failed=1
alone() { env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM -u XDG_RUNTIME_DIR "$@"; }

alone "$window" --screenshot shots --panel runs >out 2>error
check "a screenshot" 0 $?
check "its picture" PNG "$(head -c 4 shots/*runs.png | tail -c 3)"
check "no message" "" "$(cat error)"
check "help without a message" "" "$(alone "$window" --help 2>&1 >/dev/null)"
check "nor with a chosen platform" "" "$(alone env QT_QPA_PLATFORM=offscreen "$window" --version 2>&1 >/dev/null)"

# What somebody can act on is said.
mkdir -m 755 open
alone env XDG_RUNTIME_DIR="$work/open" "$window" --version >out 2>error
holds "a folder that others can read" "wrong permissions on runtime directory" "$(cat error)"
alone "$window" >out 2>error
check "no display" 1 $?
holds "what is missing" "there is no display" "$(cat error)"

[ $failed = 0 ] && echo "the window without a display holds"
exit $failed
