#!/usr/bin/env bash
# Files of other tools, most of them made by these: read, or refused by name, as docs/other-tools.md says. See foreign_files.py.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.bash"
tools "$here/tensorboard-packages.txt" "$here/foreign-packages.txt"
export STRATA_WORKSPACE=$work/workspace TF_CPP_MIN_LOG_LEVEL=3
venv/bin/python -B "$here/foreign_files.py" "$STRATA_SOURCE/docs/other-tools.md" "$STRATA_SOURCE/tests/references" || failed=1
exit $failed
