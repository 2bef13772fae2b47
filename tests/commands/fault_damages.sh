#!/usr/bin/env bash
# A slice of tests/faults/damage: every kind of file, damaged, is read by the verbs and the Python package.
. "$(dirname "$0")/checks.bash"
for python in /usr/bin/python3 python3; do "$python" -c 'import numpy, pandas, xxhash' 2>log && break; done
"$python" -c 'import numpy, pandas, xxhash' 2>log || { echo "no numpy, pandas and xxhash for Python"; [ -n "${CI:-}" ] && exit 1; exit 77; }
export PYTHONPATH=$STRATA_SOURCE/packaging/python
"$STRATA_SOURCE/tests/faults/damage" --program "$STRATA_RUN" --python "$python" --slice 80
