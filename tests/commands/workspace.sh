#!/usr/bin/env bash
# The workspace's verbs as a user runs them, without training anything.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
w="$folder/space of mine"
run() { "$STRATA_RUN" --workspace "$w" "$@"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

run runs list | grep -q "no runs in" || fail "an empty workspace says what to do"
[ -f "$w/workspace.db" ] || fail "no workspace.db"
[ "$(run --json runs list | tr -d ' \n')" = '{"runs":[]}' ] || fail "empty list as JSON"
run workspace check | grep -q "all is well" || fail "check of a new workspace"

status=0; run runs show nothing 2>"$folder/err" || status=$?
[ $status = 2 ] || fail "an unknown run is wrong usage, not $status"
grep -q "no run 'nothing'" "$folder/err" || fail "the error names the run"

# A run's folder that is not in the index is found.
mkdir -p "$w/runs/4-copied"
printf 'seed: 3\ndata:\n  dataset: toy\nmodel:\n  family: transformer\ncheckpoint:\n  metric: valid/nll\n' \
  >"$w/runs/4-copied/config.effective.yaml"
run workspace check >"$folder/out" 2>&1 && fail "check overlooks an unknown folder"
grep -q "4-copied is not in the index" "$folder/out" || fail "check names the folder"
run workspace repair | grep -q "rebuilt" || fail "repair"
run runs list | grep -q "copied" || fail "the run is listed after repair"

run runs rename copied "another name" | grep -q "is now another name" || fail "rename"
run runs tag "another name" one two | grep -q "one, two" || fail "tag"
run runs tag 4 one --remove | grep -q ": two" || fail "untag"
run runs trash 4 >/dev/null
[ -d "$w/trash/4-copied" ] || fail "the folder moves to the trash"
run --json runs list | grep -q '"name"' && fail "the trash is hidden"
run --json runs list --all | grep -q '"trashed": true' || fail "--all shows it"
run runs restore 4 >/dev/null
[ -d "$w/runs/4-copied" ] || fail "restore"
[ "$(run runs export 4)" = "series,step,wall_time,value" ] || fail "export without points"
status=0; run runs stop 4 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "not running" "$folder/err" || fail "stopping what does not run"

# A damaged index is kept and rebuilt; a newer one is refused and left unchanged.
run workspace backup "$folder/copy.db" >/dev/null
run workspace vacuum | grep -q "saved" || fail "vacuum"
rm -f "$w"/workspace.db-*
head -c 3000 /dev/urandom >"$w/workspace.db"
status=0; run runs list 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "workspace repair" "$folder/err" || fail "a damaged index names the remedy"
run workspace repair >/dev/null
run runs list | grep -q "another name" || fail "nothing is lost by a damaged index"
ls "$w" | grep -q "workspace.db.damaged-" || fail "the damaged index is kept"

# What is going on and what needs attention; a run whose folder was removed by hand.
[ "$(run --json runs active | tr -d ' \n')" = '{"runs":[]}' ] || fail "nothing is active, as JSON"
run runs active | grep -q "nothing is running" || fail "nothing is active"
run runs alerts | grep -q "no alerts" || fail "no alerts"
status=0; run workspace forget 4 2>"$folder/err" || status=$?
[ $status = 1 ] && grep -q "still has its folder" "$folder/err" || fail "forgetting a run that is there"
mv "$w/runs/4-copied" "$folder/aside"
run runs alerts | grep -q "another name, step 0: folder missing: .*4-copied is no longer there" || fail "a lost folder"
run --json runs alerts | grep -q '"kind": "folder missing"' || fail "alerts as JSON"
run workspace forget "another name" | grep -q "no longer listed" || fail "forget"
run runs list | grep -q "no runs in" || fail "the run is forgotten"
mv "$folder/aside" "$w/runs/4-copied"
run runs list | grep -q "another name" || fail "the folder came back, and so does the run"

run work --once
[ "$(run --json work --once | tr -d ' \n')" = '{"jobs":0,"failed":0}' ] || fail "an empty queue"
echo "workspace verbs hold"
