#!/usr/bin/env bash
# `query` through the real program: its tables are those of docs/query.md, whose examples run; forms of output, input and
# errors; a workspace that cannot be written.
. "$(dirname "$0")/checks.bash"
w=$work/workspace
run() { "$STRATA_RUN" --workspace "$w" "$@" 2>log; }
run query 'SELECT 1'
check "no workspace" 2 $?
holds "it says so" "is not a workspace" "$(cat log)"
folder() { # ID-NAME SEED: a run without points
  mkdir -p "$w/runs/$1"
  printf 'preset: mlrf/base\nseed: %s\ndata:\n  dataset: toy\ncheckpoint:\n  metric: valid/nll\ntraining:\n  dropout: 0.%s\n' "$2" "$2" \
    >"$w/runs/$1/config.effective.yaml"
  printf 'STRATALG\1\0\0\0\0\0\0\0' >"$w/runs/$1/events.log"
}
folder 1-first 1
folder '2-it,s' 2
run runs list >/dev/null

run query --tables --json >tables.json
run query --tables >tables
holds "the tables for people" "scalars  type" "$(cat tables)"
python3 - "$STRATA_SOURCE/docs/query.md" "$STRATA_RUN" "$w" <<'PYTHON' || failed=1
import json, re, subprocess, sys
text = open(sys.argv[1]).read()
known = {t["name"]: (t["help"], [(c["name"], c["type"], c["help"]) for c in t["columns"]]) for t in json.load(open("tables.json"))["tables"]}
said = {}
for name, help, rows in re.findall(r"^### `(\w+)`: (.+)\n\n\| column \| type \| what \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", text, re.M):
    said[name] = (help, [tuple(re.fullmatch(r"\| `(\w+)` \| (\w+) \| (.*) \|", row).groups()) for row in rows.splitlines()])
assert list(said) == list(known), (list(said), list(known))
for name in known:
    assert said[name] == known[name], (name, [pair for pair in zip(said[name][1], known[name][1]) if pair[0] != pair[1]] or said[name][0])
examples = re.findall(r"```sql\n(.*?)```", text, re.S)
assert len(examples) >= 12, len(examples)
for sql in examples:
    done = subprocess.run([sys.argv[2], "--workspace", sys.argv[3], "query", "-", "--csv"], input=sql, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("\n") >= 1, (sql, done.stderr)
PYTHON

ask="SELECT r.name, s.number AS dropout, NULL AS absent FROM runs r JOIN settings s ON s.run_id = r.id AND s.key = 'training.dropout' ORDER BY r.id"
check "csv" $'name,dropout,absent\nfirst,0.1,\n"it,s",0.2,' "$(run query "$ask" --csv)"
check "json" '[{"absent": null, "dropout": 0.1, "name": "first"}, {"absent": null, "dropout": 0.2, "name": "it,s"}]' \
  "$(run --json query "$ask" | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))')"
check "no rows as JSON" "[]" "$(run --json query 'SELECT 1 WHERE 0')"
check "a table" $'name   dropout  absent\n─────  ───────  ──────\nfirst      0.1       –\nit,s       0.2       –' "$(run query "$ask")"
echo "$ask" >ask.sql
check "from a file" "$(run query "$ask" --csv)" "$(run query --file ask.sql --csv)"
run query --file /dev/zero >out 2>log
check "status of a file without end" 2 $?
holds "a file without end" "it is no query" "$(cat log)"
run query - </dev/zero >out 2>log
check "status of input without end" 2 $?
check "from standard input" "$(run query "$ask" --csv)" "$(run query - --csv <ask.sql)"
numbers="WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 12000) SELECT i FROM n"
check "all rows as csv" 12001 "$(run query "$numbers" --csv | wc -l)"
check "the first ones for people" 10003 "$(run query "$numbers" | wc -l)"
holds "it says so" "only the first 10000 rows are shown" "$(run query "$numbers" | tail -1)"
check "an infinite number" $'x,y\ninf,-inf' "$(run query 'SELECT 9e999 AS x, -9e999 AS y' --csv)"

fault() { # WHAT STATUS TEXT ARGUMENTS...
  local what=$1 status=$2 text=$3; shift 3
  run query "$@" >out
  check "$what" "$status" $?
  holds "$what: message" "$text" "$(cat log)"
  check "$what: no output" "" "$(cat out)"
}
fault "a mistyped column" 2 "did you mean 'name'?" 'SELECT naem FROM runs'
fault "two of one name" 2 "name one of them by AS" --json 'SELECT 1 AS a, 2 AS a'
fault "a write" 2 "only reads" "DELETE FROM runs"
fault "nothing" 2 "give the query" 
fault "both forms" 2 "not both" --csv --json 'SELECT 1'
fault "too long" 124 "ended after 0.2 s" --timeout 0.2 "SELECT count(*) FROM settings a, settings b, settings c, settings d, settings e, settings f, settings g, settings h"

# Nothing of it may be written, here by an ordinary user: the workspace belongs to root.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$work" && chmod -R a+rX "$w"
  check "an ordinary user who may only read" $'name\nfirst\n"it,s"' \
    "$(setpriv --reuid 65534 --regid 65534 --clear-groups "$STRATA_RUN" --workspace "$w" query 'SELECT name FROM runs ORDER BY id' --csv 2>&1)"
fi
exit $failed
