# translate and score as a user runs them, with a tiny model that was hardly trained.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export STRATA_WORKSPACE=$folder/workspace
fail() { echo "$1"; exit 1; }
"$STRATA_RUN" data generate --name tiny --size 300 --seed 1 --contrastive >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }
"$STRATA_RUN" train --preset mlrf/both-fnn-sa4 --data tiny --name first --set model.embed_dim=32 --set model.ffn_dim=48 \
  --set model.fusion_attn_dim=16 --set model.fusion_ffn_dim=24 --set training.max_updates=8 \
  --set validation.every_epochs=0 >/dev/null 2>"$folder/log" || { cat "$folder/log"; exit 1; }

printf 'der Hund schläft .\n\ndie Katze sieht den Hund .\n' >"$folder/in"
"$STRATA_RUN" translate --run first@last --input "$folder/in" --output "$folder/out" 2>/dev/null
[ "$(wc -l <"$folder/out")" -eq 3 ] || fail "a line of output for each of input"
[ -z "$(sed -n 2p "$folder/out")" ] || fail "an empty line stays empty"

# Batch size and the way in and out change nothing.
"$STRATA_RUN" translate --run first --batch 1 <"$folder/in" >"$folder/single" 2>/dev/null
cmp "$folder/out" "$folder/single"

"$STRATA_RUN" translate --run first --input "$folder/in" --beam 4 --nbest 2 --scores >"$folder/nbest" 2>/dev/null
[ "$(cut -f 1,2 "$folder/nbest" | sort -u | wc -l)" -eq "$(wc -l <"$folder/nbest")" ] || fail "sentence and rank name a line"
awk -F '\t' '$1 == previous && $3 > score { exit 1 } { previous = $1; score = $3 }' "$folder/nbest" || fail "best first"

# What the search says of its tokens, the scorer says too.
"$STRATA_RUN" --json translate --run first --input "$folder/in" --beam 3 >"$folder/json" 2>/dev/null
"$STRATA_RUN" translate --run first --input "$folder/in" --record 'decoder.fusion.*' --record-to "$folder/hops.safetensors" \
  >/dev/null 2>&1
[ -s "$folder/hops.safetensors" ] || fail "recordings"
"$STRATA_RUN" score --run first --source "$folder/in" --target "$folder/in" --tokens >"$folder/scores" 2>/dev/null
awk -F '\t' '{ n = split($3, token, " "); sum = 0; for (i = 1; i <= n; ++i) sum += token[i]
  if (n != $2 || (sum - $1) ^ 2 > 1e-6) exit 1 }' "$folder/scores" || fail "tokens add up to the sentence"
[ "$(sed -n 2p "$folder/scores" | cut -f 2)" -eq 1 ] || fail "an empty sentence is </s> alone"
printf '4 5 6\n' >"$folder/ids"
printf '4 5 6 2\n' >"$folder/ended"
"$STRATA_RUN" score --run first --ids --source "$folder/ids" --target "$folder/ids" >"$folder/a" 2>/dev/null
"$STRATA_RUN" score --run first --ids --source "$folder/ended" --target "$folder/ended" >"$folder/b" 2>/dev/null
cmp "$folder/a" "$folder/b"

# Contrastive pairs: with right and wrong exchanged, what was right is wrong.
head -n 60 "$STRATA_WORKSPACE/datasets/tiny/contrastive/de-en.tsv" >"$folder/pairs"
awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $5, $4 }' "$folder/pairs" >"$folder/exchanged"
"$STRATA_RUN" --json score --run first --contrastive "$folder/pairs" >"$folder/a" 2>/dev/null
"$STRATA_RUN" --json score --run first --contrastive "$folder/exchanged" >"$folder/b" 2>/dev/null
python3 - "$folder/a" "$folder/b" <<'PYTHON' || fail "contrastive accuracy"
import json, sys
first, second = (json.load(open(path))["contrastive"] for path in sys.argv[1:])
whole = [row for row in first if row["distance"] is None]
assert sum(row["pairs"] for row in whole) == 60
assert sum(row["pairs"] for row in first if row["distance"] is not None) == 60
assert all(a["right"] + b["right"] == a["pairs"] == b["pairs"] for a, b in zip(first, second))
PYTHON
"$STRATA_RUN" score --run first --contrastive "$folder/pairs" 2>/dev/null | grep -q '^agreement *all *60 ' || fail "the table of accuracies"

status=0; "$STRATA_RUN" translate --run nobody <"$folder/in" >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "an unknown run gives status $status"
status=0; "$STRATA_RUN" translate --run first --beam 2 --nbest 3 <"$folder/in" >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "more hypotheses than the beam has give status $status"
