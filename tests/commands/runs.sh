#!/usr/bin/env bash
# Verbs of `strata-run runs` on two small runs: samples (what a run made of some sentences at each validation), diff,
# checkpoints, note.
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

run runs diff sampled silent >text
check "one setting differs" "validation.samples 2 0" "$(awk '$1 ~ /^[a-z.]+[.]/ { print $1, $2, $3 }' text)"
run --json runs diff sampled silent >json
check "the same as JSON" "validation.samples" "$(python3 -c 'import json
print(*[d["key"] for d in json.load(open("json"))["differences"]])')"
run runs diff sampled sampled >text
holds "nothing differs" "same configuration" "$(cat text)"

steps() { run --json runs checkpoints "$@" >json && python3 -c 'import json
print(*["%d%s" % (c["step"], "p" if c["pinned"] else "") for c in json.load(open("json"))["checkpoints"]])'; }
first=$(steps sampled)
newest=${first##* }
check "pinned" "${first}p" "$(steps sampled --pin "$newest")"
check "it has the file that training looks for" 1 "$(ls "$STRATA_WORKSPACE"/runs/*-sampled/checkpoints/*/pinned | wc -l)"
check "unpinned" "$first" "$(steps sampled --unpin "$newest")"
run runs checkpoints sampled --remove 12345
check "status of a checkpoint that is not there" 2 $?
check "removed" "${first% *}" "$([ "$first" = "$newest" ] && echo "$first" || steps sampled --remove "$newest")"

run runs note sampled 'for table 2' >/dev/null
holds "the note" "note for table 2" "$(run runs show sampled)"
run workspace repair >/dev/null
holds "the note is in the run's folder" "note for table 2" "$(run runs show sampled)"
exit $failed
