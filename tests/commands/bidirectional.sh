#!/usr/bin/env bash
# Trains one model on both directions with a joint vocabulary and shared embeddings, then fine-tunes it on one direction.
set -eu
. "$(dirname "$0")/queue.bash"
value() { sed -nE "s/^ *\"$2\": \"?([^\",]*)\"?,?$/\\1/p" "$1" | head -n 1; }

# Strings of letters and the same in capitals, reversed.
awk -v de="$folder/train.de" -v en="$folder/train.en" 'BEGIN { srand(5)
  for (i = 0; i < 600; ++i) { a = ""; b = ""
    for (j = 3 + int(rand() * 3); j > 0; --j) { c = sprintf("%c", 97 + int(rand() * 8)); a = a (a == "" ? "" : " ") c; b = toupper(c) (b == "" ? "" : " ") b }
    print a > de; print b > en } }'
for side in de en; do head -n 40 "$folder/train.$side" >"$folder/valid.$side"; sed -i 1,40d "$folder/train.$side"; done
prepare() { run data prepare --train "$folder/train" --valid valid="$folder/valid" --source de --target en "$@" >"$folder/prepare.log" 2>&1 || { cat "$folder/prepare.log"; fail "data prepare $*"; }; }
prepare --name joint --joint-vocabulary
prepare --name apart

small="--set model.hidden=32 --set model.encoder_layers=1 --set model.decoder_layers=1 --set model.share_all_embeddings=true
  --set training.max_updates=0 --set training.accumulate=1 --set training.schedule.name=constant --set training.optimizer.lr=3e-3
  --set training.batch.unit=sentences --set training.batch.size=20 --set training.dropout=0 --set training.threads=1 --set training.device=cpu
  --set validation.monitor=[] --set validation.every_epochs=1 --set checkpoint.every_epochs=1 --set checkpoint.every_minutes=0 --set checkpoint.metric=valid/nll"
train() { run --json train --preset dhea/gate-stable "$@" >"$folder/out.json" 2>"$folder/train.log"; }

# 1. Both directions double the number of pairs; the joint vocabulary has both sides' words.
train --data joint $small --dry-run || { cat "$folder/train.log"; fail "dry run"; }
[ "$(value "$folder/out.json" sentences)" = 560 ] || fail "one direction: $(value "$folder/out.json" sentences) sentences"
[ "$(value "$folder/out.json" src_vocab)" = 20 ] && [ "$(value "$folder/out.json" tgt_vocab)" = 20 ] || fail "8 letters, 8 capitals and 4 specials make 20 words"
train --data joint $small --set data.bidirectional=true --dry-run || { cat "$folder/train.log"; fail "dry run of both directions"; }
[ "$(value "$folder/out.json" sentences)" = 1120 ] || fail "both directions: $(value "$folder/out.json" sentences) sentences"

# 2. Without a joint vocabulary it is refused, saying how to get one. Both vocabularies have 12 words here.
refused() { # WHAT PATTERN ARGUMENTS: an error that matches
  what=$1 pattern=$2; shift 2
  set +e
  run train --preset dhea/gate-stable "$@" >/dev/null 2>"$folder/error"; status=$?
  set -e
  [ $status != 0 ] && grep -q -- "$pattern" "$folder/error" || fail "$what: status $status, $(cat "$folder/error")"
}
refused "both directions" --joint-vocabulary --data apart $small --set data.bidirectional=true --dry-run

# 3. Fine-tuning starts from the bidirectional model, with a fresh optimizer; a folder of the run's name is not taken for it.
train --data joint --name both $small --set data.bidirectional=true --set training.max_epochs=6 || { cat "$folder/train.log"; fail "both directions"; }
cd "$folder" && mkdir both both@best
train --data joint --name one $small --from both@best --set training.max_epochs=1 || { cat "$folder/train.log"; fail "fine-tuning"; }
train --data joint --name fresh $small --set training.max_epochs=1 || { cat "$folder/train.log"; fail "one direction from nothing"; }
nll() { run runs export "$1" | grep '^valid/nll,' | tail -n 1 | sed 's/.*,//'; }
for name in both one fresh; do echo "$name $(nll $name)"; done >"$folder/nll"
awk '{ nll[$1] = $2 } END { exit !(nll["one"] < nll["both"] && nll["one"] < nll["fresh"] / 2) }' "$folder/nll" || { cat "$folder/nll"; fail "the fine-tuned model is no better"; }

# 4. A starting point that does not fit is refused before a run is created.
refused "other words" "another source vocabulary" --data apart $small --set model.share_all_embeddings=false --name words --from both
refused "another width" "is \[20, 32\] but this model needs \[20, 16\]" --data joint $small --set model.hidden=16 --name width --from both
refused "no such run" "no run 'nothing'" --data joint $small --name none --from nothing
! run runs list | grep -qE ' (words|width|none) ' || fail "a refused run is listed"

# 5. What the fine-tuned run began with stays, under whatever name: one checkpoint, which was the best.
kept() { ls "$(field "$1" folder)/checkpoints"; }
run runs rename both parent
[ "$(kept parent | wc -l)" -gt 1 ] || fail "there is but one checkpoint to choose from"
run runs prune --filter '^parent$' --checkpoints --yes >"$folder/pruned" || fail "runs prune"
same "the checkpoint that is left" "checkpoints/$(kept parent)" "$(value "$(field one folder)/began_with.json" model)"
