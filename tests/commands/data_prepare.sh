#!/usr/bin/env bash
# Prepares datasets as a user does: from files, by recipes, and from bad input.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
fail() { echo "FAILED: $*" >&2; exit 1; }
run() { "$STRATA_RUN" --log-level error "$@"; }
refused() {  # refused STATUS TEXT ARGS...: exit status and part of the message
  local status=$1 text=$2 got=0
  shift 2
  run "$@" >"$work/out" 2>"$work/err" || got=$?
  [ "$got" = "$status" ] || fail "status $got instead of $status: $*: $(cat "$work/err")"
  grep -qF -- "$text" "$work/err" || fail "no '$text' in: $(cat "$work/err")"
}

for i in $(seq 300); do echo "Das ist der Satz $((i * 7 % 300)) ."; done >"$work/train.de"
for i in $(seq 300); do echo "This is sentence $((i * 7 % 300)) ."; done >"$work/train.en"
printf 'Guten Tag !\nDas ist der Satz 7 .\n' >"$work/v.de"
printf 'Hello !\nAnother .\n' >"$work/v.en"
gzip -k "$work/v.de" && rm "$work/v.de"

prepare=(data prepare --name tiny --source de --target en --train "$work/train" --valid "valid=$work/v")
run "${prepare[@]}" --test "test=$work/v" --references "test=$work/v.en,$work/v.en" --test "other=$work/v" --join both=valid+other --tokenizer moses \
  --lowercase --bpe 50 >"$work/summary" 2>"$work/err" || fail "$(cat "$work/err")"
grep -q '^dataset tiny (version 1), de to en' "$work/summary" || fail "summary: $(cat "$work/summary")" 
[ ! -s "$work/err" ] || fail "stderr is not empty: $(cat "$work/err")"
run data list | grep -q '^tiny .* 300 pairs .*valid 2, test 2, other 2, both 4' || fail "list: $(run data list)"
run --json data show tiny --verify | python3 -c '
import json, sys
m = json.load(sys.stdin)
assert m["train"]["pairs"] == 300, m["train"]
assert m["sets"]["valid"]["overlap_with_train"] == {"source": 1, "target": 0, "pair": 0}, m["sets"]["valid"]
assert m["sets"]["test"]["references"] == 2
' || fail "manifest"
head -1 "$STRATA_WORKSPACE/datasets/tiny/sets/valid/tokens.source" | grep -qx 'guten tag !' || fail "tokens"

run "${prepare[@]}" --overlap drop-from-train --vocabulary-size 10,12 >/dev/null
run --json data show tiny | python3 -c '
import json, sys
m = json.load(sys.stdin)
assert m["version"] == 2 and m["train"]["pairs"] == 299, m["train"]
assert (m["source"]["vocabulary"], m["target"]["vocabulary"]) == (14, 16)
' || fail "second version"
run data remove tiny@1 >/dev/null
[ "$(ls "$STRATA_WORKSPACE/datasets")" = tiny ] || fail "left: $(ls "$STRATA_WORKSPACE/datasets")"

# Bad input changes nothing.
before=$(run --json data show tiny)
cp "$work/train.en" "$work/good.en"
head -299 "$work/good.en" >"$work/train.en"
refused 1 "train.de has 300 lines, $work/train.en has 299" "${prepare[@]}"
printf 'a\n\xff\n' >"$work/train.en"
refused 1 "train.en: line 2, byte 0" "${prepare[@]}"
rm "$work/train.en"
refused 1 "train.en: no such file" "${prepare[@]}"
gzip <"$work/good.en" | head -c 200 >"$work/train.en.gz"
refused 1 "train.en.gz: ends early" "${prepare[@]}"
refused 2 "recipe" data prepare iwslt --from "$work"
refused 2 "--from is missing. How to get the files" data prepare multi30k-deen
refused 2 "no dataset 'tinny'" data show tinny
[ "$(run --json data show tiny)" = "$before" ] || fail "a refused preparation changed the dataset"
[ -z "$(ls -A "$STRATA_WORKSPACE/datasets" | grep preparing || true)" ] || fail "a half-done folder is left"

# A killed preparation leaves no dataset, and the next one removes its remains.
cp "$work/good.en" "$work/train.en" && rm "$work/train.en.gz" && mkfifo "$work/slow.de" && cp "$work/good.en" "$work/slow.en"
"$STRATA_RUN" --log-level error data prepare --name slow --source de --target en --train "$work/slow" &
child=$!
exec 9>"$work/slow.de"
kill -9 $child
wait $child 2>/dev/null || true
exec 9>&-
run data list | grep -q slow && fail "a killed preparation is listed"
run "${prepare[@]}" >/dev/null
[ -z "$(ls -A "$STRATA_WORKSPACE/datasets" | grep preparing || true)" ] || fail "the killed preparation's folder is still there"

# A recipe accepts files with its corpus's names and refuses counts that differ from the corpus, unless an option changes
# its result.
corpus=$STRATA_SOURCE/tests/references/bpe/corpus
mkdir "$work/captions"
for side in de en; do
  head -1500 "$corpus.$side.txt" | gzip >"$work/captions/train.$side.gz"
  sed -n 1501,1600p "$corpus.$side.txt" >"$work/captions/val.$side"
  sed -n 1601,1700p "$corpus.$side.txt" >"$work/captions/test_2016_flickr.$side"
done
refused 1 "train: 1500 instead of 29000; valid: 100 instead of 1014; test: 100 instead of 1000" \
  data prepare multi30k-deen --from "$work/captions"
run data list | grep -q multi30k && fail "refused, and yet there"
run --json data prepare multi30k-deen --from "$work/captions" --bpe 500 >"$work/captions.json"
python3 - "$work/captions.json" <<'PY' || fail "a recipe with other files"
import json, sys
m = json.load(open(sys.argv[1]))
assert m["train"]["pairs"] == 1500 and m["sets"]["test"]["sentences"] == 100 and m["train"]["merges_learned"] == 500, m["train"]
PY
sed -n 1601,1700p "$corpus.en.txt" | cmp - "$STRATA_WORKSPACE/datasets/multi30k-deen/sets/test/raw.target" || fail "the test set"
rm -r "$STRATA_WORKSPACE/datasets/multi30k-deen"

if [ -d "${STRATA_SHARED:-}/data/multi30k" ]; then
  run --json data prepare multi30k-deen --from "$STRATA_SHARED/data/multi30k" >"$work/multi30k.json"
  python3 - "$work/multi30k.json" <<'PY' || fail "multi30k"
import json, sys
m = json.load(open(sys.argv[1]))
assert m["train"]["pairs"] == 29000 and m["sets"]["test"]["sentences"] == 1000
PY
  run --json data prepare tatoeba-deen --from "$STRATA_SHARED/data/tatoeba" >"$work/tatoeba.json"
  python3 - "$work/tatoeba.json" <<'PY' || fail "tatoeba"
import json, sys
m = json.load(open(sys.argv[1]))
assert m["sets"]["valid"]["overlap_with_train"]["target"] == 0, m["sets"]["valid"]
PY
fi
echo ok
