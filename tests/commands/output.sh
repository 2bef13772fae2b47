#!/usr/bin/env bash
# Output that cannot be written is an error, whichever verb prints it; where a user's name for output is no regular file, it
# stays what it is.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level error "$@"; }
small="--preset demo/mlrf --data tiny --set model.embed_dim=16 --set model.ffn_dim=16 --set model.encoder_layers=1
  --set model.decoder_layers=2 --set training.max_updates=2 --set validation.every_epochs=0 --set validation.metrics=[nll]
  --set validation.monitor=[] --set checkpoint.metric=valid/nll --set checkpoint.every_epochs=0 --set checkpoint.every_updates=1
  --set training.threads=1 --set training.device=cpu"
run data generate --name tiny --size 400 --seed 1 >/dev/null || exit 1
for name in a b; do run train $small --name $name --set seed=${#name} >/dev/null || exit 1; done
set=$STRATA_WORKSPACE/datasets/tiny/sets/test
head -20 "$set/raw.source" >source
head -20 "$set/raw.target" >target
for line in $(seq 20); do echo 0-0 1-1; done >links
for name in a b; do run translate --run $name --set test --beam 1 >/dev/null || exit 1; done

# Each line prints something, and says so if it cannot; an answer of one line as one of megabytes.
while read -r verb; do
  eval "set -- $verb"
  run "$@" <source >out 2>log || { echo "FAIL $verb"; cat log; failed=1; }
  [ -s out ] || { echo "FAIL $verb prints nothing"; failed=1; }
  run "$@" <source >/dev/full 2>log
  check "status of $verb on a full disk" 1 $?
  holds "message of $verb on a full disk" "No space left on device" "$(cat log)"
  check "messages of $verb" 1 "$(wc -l <log)"
done <<'VERBS'
--help
train --help
runs list
--json runs list
runs show a
runs diff a b
runs export a
runs export a --format json
runs checkpoints a
runs sweep
data list
data show tiny
systems list
workspace check
workspace usage
query 'SELECT * FROM scalars'
query --csv 'SELECT * FROM scalars'
query --tables
translate --run a --input source --beam 1
--json translate --run a --input source --beam 1
score --run a --source source --target target
evaluate --hypothesis target --reference target
compare --set tiny/test --system a b
align --hypothesis links --gold links
inspect --run a
paper list
paper show mlrf/table1
text normalize
text segment --help
VERBS

# OPTION VERB...: written to a file, through a link and into a pipe, it is the same, and link and pipe are still there.
named() {
  local option=$1 place
  shift
  rm -f file link target-of-link pipe
  ln -s target-of-link link
  mkfifo pipe
  cat pipe >through & local reader=$!
  for place in file link pipe; do
    run "$@" "$option" $place <target >out 2>log || { echo "FAIL $* $option $place"; cat log; failed=1; [ -p pipe ] && : <>pipe; }
  done
  wait $reader
  [ -s file ] || { echo "FAIL $* $option wrote nothing"; failed=1; }
  cmp file target-of-link && cmp file through || failed=1
  [ -L link ] && [ -p pipe ] || { echo "FAIL $* $option replaced what was there"; ls -l; failed=1; }
}
named --output translate --run a --input source --beam 1
named --record-to translate --run a --input source --beam 1 --record 'decoder.*' --output /dev/null
named --output runs export a
named --html compare --set tiny/test --system a b
named --tsv compare --set tiny/test --system a b
named --latex compare --set tiny/test --system a b
named --csv paper show mlrf/table1
named --svg paper show mlrf/figure1
named --output text bpe-learn-joint --inputs source target --merges 20 --vocabulary /dev/null /dev/null
named --model text truecase-train
named --output-source text clean --source source --target target --output-target /dev/null
named --output-target text clean --source source --target target --output-source /dev/null
named --output train $small --name slurm --slurm --nodes 1

# What was killed while it wrote leaves nothing that adds up, and nothing at all once the verb has run.
mkdir -p clean event/a
mkfifo endless
for turn in 1 2 3; do
  "$STRATA_RUN" text clean --source endless --target endless --output-source clean/source --output-target clean/target 2>/dev/null & filter=$!
  exec 3>endless
  for _ in $(seq 300); do [ -e clean/target.partial ] && break; sleep 0.1; done
  kill -9 $filter
  wait $filter 2>/dev/null
  exec 3>&-
done
check "what three killed filters leave" "source.partial target.partial" "$(ls clean | tr '\n' ' ' | sed 's/ $//')"
run text clean --source source --target target --output-source clean/source --output-target clean/target || failed=1
check "what lies beside the outputs" "source target" "$(ls clean | tr '\n' ' ' | sed 's/ $//')"
touch event/a/.strata.partial
run runs export a --format tfevents --output event || failed=1
check "what an export leaves of a killed one" "" "$(find event -name '*.partial*')"
[ -c /dev/null ] || { echo "FAIL /dev/null is no device any more"; failed=1; }
exit $failed
