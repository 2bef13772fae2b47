#!/usr/bin/env bash
# `strata-run runs samples`: what a run made of some sentences at each validation.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" "$@" 2>log; }
train() { # NAME SAMPLES
  run train --data tiny --name "$1" --preset demo/mlrf --set training.max_updates=4 --set validation.every_updates=2 \
    --set validation.every_epochs=0 --set 'validation.metrics=[nll]' --set validation.samples="$2" --set checkpoint.metric=valid/nll \
    --set training.threads=1 --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 \
    --set model.decoder_layers=2 >/dev/null || { cat log; exit 1; }
}
run data generate --name tiny --size 300 --seed 1 >/dev/null || { cat log; exit 1; }
train sampled 2
run runs samples sampled >text
check "a block per sentence" 2 "$(grep -c ' source  ' text)"
check "each validation" "2 4 2 4" "$(awk '$1 ~ /^[0-9]+$/ { printf "%s%s", sep, $1; sep = " " }' text)"
run --json runs samples sampled >json
check "sentences" 2 "$(python3 -c 'import json; print(len(json.load(open("json"))["sentences"]))')"
python3 - <<'PYTHON' || failed=1
import json
blocks = open("text", encoding="utf-8").read().strip("\n").split("\n\n")
for block, sentence in zip(blocks, json.load(open("json"))["sentences"], strict=True):
    lines = [line[12:] for line in block.split("\n")[1:]]
    said = [sentence["source"], sentence["reference"]] + [t["text"] for t in sentence["translations"]]
    assert lines == said, (lines, said)
PYTHON
train silent 0
run runs samples silent
check "status without samples" 1 $?
holds "it says what to set" "validation.samples" "$(cat log)"
exit $failed
