#!/usr/bin/env bash
# One flipped bit in a file that training or translation reads is reported before the file is used; models, texts and ids
# that do not belong together are refused.
set -eu
. "$(dirname "$0")/queue.bash"

run data generate --name tiny --size 600 --seed 4 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "data generate"; }
w=$folder/w
data=$w/datasets/tiny

small="--set model.embed_dim=16 --set model.ffn_dim=32 --set model.fusion_attn_dim=16 --set model.fusion_ffn_dim=32
  --set model.encoder_layers=1 --set model.decoder_layers=1 --set recording.sentences=0 --set training.phases=[]
  --set training.batch.unit=sentences --set training.batch.size=16 --set validation.samples=0 --set validation.metrics=[nll] --set checkpoint.metric=valid/nll
  --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set training.threads=1 --set training.device=cpu"
train() { run train --preset mlrf/base --data tiny $small "$@"; }
train --name first --set training.max_updates=2 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "training"; }
first=$(echo "$w"/runs/*first*)

flip() { # FILE SEED: flips one bit in place, where the seed says
  python3 - "$1" "$2" <<'PYTHON'
import os, random, sys
name, draw = sys.argv[1], random.Random(sys.argv[2])
at, bit = draw.randrange(os.path.getsize(name)), draw.randrange(8)
with open(name, "r+b") as file:
    file.seek(at)
    byte = file.read(1)[0]
    file.seek(at)
    file.write(bytes([byte ^ 1 << bit]))
PYTHON
}
refused() { # WHAT PATTERN COMMAND...: fails with a message that matches
  what=$1 pattern=$2; shift 2
  set +e
  "$@" >/dev/null 2>"$folder/error" </dev/null; status=$?
  set -e
  [ $status = 1 ] && grep -q -- "$pattern" "$folder/error" || fail "$what: status $status, $(cat "$folder/error")"
}

# 1. For every file of the dataset: training names it, says what to do, and creates no run. Flipping again restores it.
flips=0
for file in train.corpus valid.corpus test.corpus sets/valid/tokens.source sets/valid/tokens.target sets/test/raw.target \
  text/pipeline.yaml text/vocabulary.source text/vocabulary.target text/codes.source gold/lexicon.tsv; do
  flips=$((flips + 1))
  flip "$data/$file" $flips
  refused "$file" "$file: is damaged.*prepare the dataset again" train --name second $([ $((flips % 2)) = 0 ] || echo --dry-run)
  flip "$data/$file" $flips
done
sed -i 's/role: test/role: best/' "$data/manifest.yaml"
refused "a test set that calls itself none" "manifest.yaml: is damaged" train --name second
sed -i 's/role: best/role: test/' "$data/manifest.yaml"
! run runs list | grep -q second || fail "a refused run is listed"
train --dry-run >/dev/null 2>"$folder/log" || { cat "$folder/log"; fail "the restored dataset"; }

# 2. A resumed run, and every verb that scores with the dataset.
flip "$data/valid.corpus" 5
refused "resuming" "valid.corpus: is damaged" run train --resume first --set training.max_updates=4
refused "the mean of an internal" "valid.corpus: is damaged" run translate --run first@last --input /dev/null --intervene encoder.memory=mean
flip "$data/valid.corpus" 5
flip "$data/sets/test/raw.target" 5
refused "translating a set" "raw.target: is damaged" run translate --run first@last --set test --beam 1
flip "$data/sets/test/raw.target" 5
flip "$data/train.corpus" 5
refused "learning a dictionary" "train.corpus: is damaged" run data lexicon --dataset tiny
# Preparing it again repairs it; the run finds its version by the digest.
run data generate --name tiny --size 600 --seed 4 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "generating again"; }
run train --resume first --set training.max_updates=3 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "resuming with the dataset made again"; }

# 3. A run's own text pipeline. A copy, not a link: the dataset is intact.
own=$first/text/pipeline.yaml
cp "$own" "$folder/pipeline.yaml" && rm "$own" && cp "$folder/pipeline.yaml" "$own"
sed -i 's/language: de/language: dd/' "$own"
refused "the run's text pipeline" "pipeline.yaml is damaged" run translate --run first@last --input /dev/null
flip "$first/text/vocabulary.target" 1
run train --resume first --set training.max_updates=4 >/dev/null 2>"$folder/log" || { cat "$folder/log"; fail "resuming with damaged text"; }
grep -q 'text/pipeline.yaml is damaged; it is replaced by the dataset.s copy' "$folder/log" || { cat "$folder/log"; fail "the run's text is not mended"; }
echo 'Der Hund .' | run translate --run first@last --beam 1 >/dev/null 2>"$folder/log" || { cat "$folder/log"; fail "translating with mended text"; }

# 4. A model with fewer words than its text pipeline, and ids that it does not have.
run data generate --name other --size 300 --seed 5 >/dev/null 2>&1
cp -r "$(ls -d "$first"/checkpoints/step-* | tail -n 1)" "$folder/model"
rm "$folder/model/manifest.json"
cp -r "$w/datasets/other/text" "$folder/model/text"
words=$(sed -nE 's/.*"src_vocab": *([0-9]+).*/\1/p' "$folder/model/config.json" | head -n 1)
echo 'Der Hund .' >"$folder/line"
refused "another model's text" "do not belong together" run translate --model "$folder/model" --input "$folder/line"
refused "scoring with another model's text" "do not belong together" run score --model "$folder/model" --source "$folder/line" --target "$folder/line"
rm -r "$folder/model/text"
echo "4 5 2" >"$folder/ids"
run score --model "$folder/model" --ids --source "$folder/ids" --target "$folder/ids" >/dev/null 2>&1 || fail "scoring ids"
echo "4 $words 2" >"$folder/wrong"
set +e
run score --model "$folder/model" --ids --source "$folder/wrong" --target "$folder/ids" 2>"$folder/error" >/dev/null; status=$?
set -e
[ $status = 2 ] && grep -q "the id $words is outside" "$folder/error" || fail "an id beyond the vocabulary: $status, $(cat "$folder/error")"
# A manifest that cannot be read: its checkpoint may be the best, so the next one is not taken for it without a word.
train --name scored --set training.max_updates=4 --set validation.every_updates=2 --set checkpoint.every_updates=2 \
  --set checkpoint.every_minutes=0 >"$folder/log" 2>&1 || { cat "$folder/log"; fail "a run with scores"; }
manifest=$(echo "$w"/runs/*scored/checkpoints/step-00000004/manifest.json)
cp "$manifest" "$folder/manifest" && head -c 60 "$folder/manifest" >"$manifest"
run --log-level warning translate --run scored --input /dev/null 2>"$folder/log" || { cat "$folder/log"; fail "translating with the other checkpoint"; }
grep -q "$manifest.*nobody knows whether step 4 is the best" "$folder/log" || { cat "$folder/log"; fail "a checkpoint that may be the best is left out silently"; }
refused "the checkpoint itself" "$manifest" run translate --run scored@last --input /dev/null
cp "$folder/manifest" "$manifest"
echo "all $flips flips are named, and what does not belong together is refused"
