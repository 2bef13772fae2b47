#!/usr/bin/env bash
# A slice of the campaign of tests/faults/run: verbs that write, while one operation on a file fails.
exec "$(dirname "$0")/../faults/run" --program "$STRATA_RUN" --shim "$STRATA_FAULTS" --slice 150
