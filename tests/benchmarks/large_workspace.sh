#!/usr/bin/env bash
# What a person waits for in a large workspace. Usage: BIN=build/release/bin large_workspace.sh DIR [RUNS]
# Makes DIR (10,000 runs and 10^8 points by default: about 5 GB of logs and 200,000 files) unless it is there, then
# measures the list of runs, curves, `query`, `workspace repair`, queuing runs, and `runs merge --follow` of 100 growing runs. See README.md.
set -eu
bin=${BIN:?the folder of strata-run and large-workspace}
workspace=${1:?usage: large_workspace.sh DIR [RUNS]}
runs=${2:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { "$bin/strata-run" --workspace "$workspace" "$@"; }
TIMEFORMAT='%R s wall, %U s user, %S s system'

[ -e "$workspace/workspace.db" ] || "$bin/large-workspace" make "$workspace" --runs "$runs"
"$bin/large-workspace" measure "$workspace"
echo "runs list:"; time run runs list >/dev/null
query() { # WHAT STATEMENT: with the start of the program, and a look at all folders
  echo "query, $1:"; time run query "$2" --csv >/dev/null
}
query "nothing" "SELECT 1"
query "extremes and mean of 1,000,000 points" "SELECT min(value), max(value), avg(value) FROM scalars WHERE run_id = 1 AND series = 'train/nll'"
query "one step of them" "SELECT value FROM scalars WHERE run_id = 1 AND series = 'train/nll' AND step = 25000000"
query "the last point of a series of 1,000 runs" "SELECT r.name, p.value FROM runs r JOIN series s ON s.run_id = r.id AND s.series = 'valid/nll'
  JOIN scalars p ON p.run_id = r.id AND p.series = s.series AND p.step = s.last_step WHERE r.id BETWEEN 1 AND 1000"
query "all points" "SELECT count(*), avg(value) FROM scalars"
bytes=$(find "$workspace/runs" -name events.log -printf '%s\n' | awk '{ sum += $1 } END { printf "%d", sum / 1e6 }')
echo "workspace repair of $bytes MB of event logs:"; time run workspace repair >/dev/null
"$bin/large-workspace" age "$workspace"
echo "the same, of an index as older versions wrote it:"; time run workspace repair >/dev/null
"$bin/large-workspace" create "$work/queued" --runs 2000

"$bin/large-workspace" grow "$work/source" --runs 100 --seconds 45 &
grower=$!
until [ "$(find "$work/source/runs" -mindepth 1 -maxdepth 1 -name '*-growing-*' 2>/dev/null | wc -l)" -ge 100 ]; do sleep 0.2; done
echo "runs merge --follow of 100 growing runs:"; time run runs merge "$work/source" --follow >/dev/null 2>&1
wait $grower
