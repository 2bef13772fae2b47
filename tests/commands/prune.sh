#!/usr/bin/env bash
# `runs prune` and `workspace usage` on folders made by hand: what would go, what goes, what stays, and kill -9 meanwhile.
. "$(dirname "$0")/checks.bash"
w=$work/workspace
run() { "$STRATA_RUN" --workspace "$w" "$@" 2>log; }
folder() { # ID-NAME [FROM]: a run with checkpoints 100, 200 and 300, and a recording
  mkdir -p "$w/runs/$1/text"
  printf 'seed: 3\ndata:\n  dataset: toy\nmodel:\n  family: transformer\ncheckpoint:\n  metric: valid/nll\ntraining:\n  from: "%s"\n' \
    "${2:-}" >"$w/runs/$1/config.effective.yaml"
  printf 'STRATALG\1\0\0\0\0\0\0\0' >"$w/runs/$1/events.log"
  for step in 100 200 300; do
    mkdir -p "$w/runs/$1/checkpoints/step-00000$step"
    head -c 5000 /dev/zero >"$w/runs/$1/checkpoints/step-00000$step/model.safetensors"
  done
  mkdir -p "$w/runs/$1/recordings/step-100"
  head -c 70 /dev/zero >"$w/runs/$1/recordings/step-100/index.json"
  ln "$w/datasets/toy/text/codes" "$w/runs/$1/text/codes"
}
steps() { find "$w/runs/$1/checkpoints" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | sed 's/step-00000//' | tr '\n' ' '; }
mkdir -p "$w/datasets/toy/text"
head -c 9000 /dev/zero >"$w/datasets/toy/text/codes"
folder 1-base
folder 2-tuned "base@100"
folder 3-spare

run --json workspace usage >usage
python3 - "$w" <<'PYTHON' || failed=1
import json, os, sys
root, use, seen, total = sys.argv[1], json.load(open("usage")), set(), 0
for folder, _, files in os.walk(root):
    for name in files:
        info = os.lstat(os.path.join(folder, name))
        if (info.st_dev, info.st_ino) in seen or name.startswith("workspace.db"): continue
        seen.add((info.st_dev, info.st_ino))
        total += info.st_size
assert use["bytes"] - use["index"] == total, (use, total)
assert use["datasets"] == 9000 and use["all_runs"]["text"] == 0, use
assert use["all_runs"]["checkpoints"] == 45000 and use["all_runs"]["recordings"] == 210, use
assert [r["bytes"] for r in use["runs"]] == sorted((r["bytes"] for r in use["runs"]), reverse=True)
PYTHON
holds "a table for people" "all runs" "$(run workspace usage --top 1)"

run runs prune --older-than 1d
check "nothing says what goes" 2 $?
holds "it says what to say" "--keep-last" "$(cat log)"
run runs prune --runs
check "all runs at once" 2 $?
run runs prune --recordings --older-than soon
check "an age without a unit" 2 $?
holds "it names the form" "30d" "$(cat log)"

run runs prune --keep-last 1 >text
holds "only shown" "would free 0.0 MB; nothing was changed" "$(cat text)"
holds "why one stays" "kept: base: 'tuned' began with step-00000100" "$(cat text)"
check "nothing was changed" "100 200 300 " "$(steps 1-base)"
check "bytes that would go" 25000 "$(value "$(run --json runs prune --keep-last 1)" bytes)"
check "bytes that went" 25000 "$(value "$(run --json runs prune --keep-last 1 --yes)" bytes)"
check "the one that a run began with stays" "100 300 " "$(steps 1-base)"
check "the newest stays" "300 " "$(steps 3-spare)"
run runs prune --filter spare --runs --yes >text
holds "to the trash" "moved 0.0 MB to the trash" "$(cat text)"
check "it is there" yes "$([ -d "$w/trash/3-spare" ] && echo yes)"
check "nothing is as old" "nothing to remove" "$(run runs prune --empty-trash --older-than 1d)"
run runs prune --empty-trash --yes >/dev/null
check "the trash is empty" "" "$(ls -A "$w/trash")"
run runs prune --recordings --yes >/dev/null
check "no recordings" "" "$(ls -A "$w"/runs/*/recordings | grep step)"
check "the workspace is whole" 0 "$(run workspace check >text; echo $?)"

# Killed at any moment, it leaves a whole workspace.
for attempt in 1 2 3 4 5 6 7 8; do
  for i in $(seq 10 49); do folder "$i-many-$attempt-$i"; done
  run runs list >/dev/null
  "$STRATA_RUN" --workspace "$w" runs prune --filter many --runs --yes >/dev/null 2>&1
  "$STRATA_RUN" --workspace "$w" runs prune --empty-trash --yes >/dev/null 2>&1 &
  pid=$!
  sleep "0.0$attempt"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  run workspace check >text || { echo "killed after 0.0$attempt s:"; cat text; failed=1; }
  run runs prune --empty-trash --yes >/dev/null
  check "the next one ends the work" "" "$(ls -A "$w/trash")"
  check "only two runs are left" 2 "$(value "$(run --json workspace check)" runs)"
done
exit $failed
