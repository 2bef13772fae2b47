#!/usr/bin/env bash
# `strata-run runs import` on logs of fairseq and JoeyNMT and on event files, and `runs export --format tfevents`: what is
# said, what the workspace then has, and that such a run has no model. tests/commands/tensorboard.sh compares with TensorBoard.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace TZ=UTC
references=$STRATA_SOURCE/tests/references/curves
run() { "$STRATA_RUN" "$@" 2>log; }
series() { run runs export "$1" | awk -F, -v name="$2" '$1 == name { printf "%s%s=%s", sep, $2, $4; sep = " " }'; }

cp "$references/fairseq-0.12.2-simple.log" base.log
run runs import base.log --dry-run >text || { cat log; exit 1; }
holds "what would be imported" "base: would be added, 90 points of 29 series, steps 10 to 50, fairseq ($work/base.log)" "$(cat text)"
holds "each series" "  train/nll: 5 points, steps 10 to 50" "$(cat text)"
check "nothing was imported" "no" "$(ls "$STRATA_WORKSPACE"/runs 2>/dev/null | grep -q . && echo yes || echo no)"
run --json runs import base.log --tag paper >json || { cat log; exit 1; }
check "as JSON" "base added fairseq 10 50" "$(python3 -c 'import json
run, = json.load(open("json"))["runs"]
print(run["name"], run["outcome"], run["tool"], run["first_step"], run["last_step"])')"
run --json runs show base >json
check "a finished run" "finished imported imported/fairseq fairseq valid/nll 50 ['imported', 'paper'] 10.0" "$(python3 -c 'import json
r = json.load(open("json"))
print(*(r[k] for k in ("status", "family", "preset", "dataset", "metric", "step", "tags", "seconds")))')"
holds "for people" "imported from fairseq: $work/base.log; it has curves and no model" "$(run runs show base)"
check "bits are nats" "10=9.15855" "$(series base train/nll | sed 's/ .*//' | sed 's/\(=.......\).*/\1/')"
check "scores are as they were" "25=11.23 50=21.23" "$(series base valid/bleu)"
run runs import base.log
check "status of importing it again" 2 $?
holds "it names the run" "was imported as 'base': --update reads it again" "$(cat log)"

run --json runs show base >before
check "nothing new" "base: unchanged" "$(run runs import base.log --update | sed 's/,.*//')"
printf '%s\n' "2022-01-01 00:00:14 | INFO | train_inner | epoch 003:      10 / 25 loss=5.0, nll_loss=5.0, ppl=32, num_updates=60" >>base.log
check "grown" "base: grown" "$(run runs import base.log --update | sed 's/,.*//')"
check "the new point" "60=3.4657" "$(series base train/nll | sed 's/.* //' | cut -c1-9)"
run runs export base >before
run workspace repair >/dev/null || { cat log; failed=1; }
run runs export base >after
cmp before after || failed=1

run runs import "$references/joeynmt-2.3.0" --name joey >/dev/null || { cat log; failed=1; }
check "JoeyNMT" "100=5.533404 200=4.585919 300=3.848016 400=3.273337" "$(series joey train/loss)"
run runs diff base joey >text || { cat log; failed=1; }
run runs sweep >text || { cat log; failed=1; }
run runs list --groups >text || { cat log; failed=1; }
run runs rename joey theirs >/dev/null && run runs trash theirs >/dev/null && run runs restore theirs >/dev/null || { cat log; failed=1; }

# Of a series whose name tells nothing it has to be said which values are better; an index that is made anew knows it.
for name in magic chrf; do
  for step in 1 2 3; do echo "epoch 001:     $step / 5 $name=$((step % 3 + 1)), num_updates=$step"; done >$name.log
  run runs import $name.log >/dev/null || { cat log; failed=1; }
done
best() { run --json runs show "$1" | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["metric"], r["best"], r["best_step"])'; }
check "nobody knows" "fairseq/train/magic None -1" "$(best magic)"
holds "it is said" "no best: \`runs import --update\` takes --higher-is-better" "$(run runs show magic)"
check "the name tells it" "fairseq/train/chrf 3.0 2" "$(best chrf)"
run runs import magic.log --update --lower-is-better magic >/dev/null || { cat log; failed=1; }
check "given" "fairseq/train/magic 1.0 3" "$(best magic)"
run workspace repair >/dev/null || { cat log; failed=1; }
check "and kept" "fairseq/train/magic 1.0 3" "$(best magic)"
run runs import magic.log --update --lower-is-better missing
check "status of an unknown series" 2 $?
for name in magic chrf; do run runs trash $name >/dev/null || { cat log; failed=1; }; done

# What needs a model says that there is none.
run data generate --name tiny --size 300 --seed 1 >/dev/null || { cat log; exit 1; }
echo "der Hund" >in
refuses() { # VERB...
  run "$@" >/dev/null
  check "status of $1 $2" 2 $?
  holds "$1 $2 says why" "the run 'base' was imported from fairseq and has no model" "$(cat log)"
}
refuses translate --run base --input in
refuses train --resume base
refuses train --data tiny --preset demo/mlrf --from base --name fine
refuses runs resume base
refuses runs resume base --updates 100
refuses average --run base --last 2
refuses inspect --run base
refuses tune --run base --on valid
refuses score --run base --source in --target in
refuses runs inside base
refuses layers base

# Event files: exported, read back, and the same in single precision.
run runs export base theirs --format tfevents --output board >text || { cat log; failed=1; }
check "a folder for each run" "base theirs" "$(ls board | tr '\n' ' ' | sed 's/ $//')"
sum=$(sha256sum board/base/* | cut -d' ' -f1)
run runs export base --format tfevents --output board >/dev/null
check "the same again, in the same file" "1 $sum" "$(ls board/base | wc -l) $(sha256sum board/base/* | cut -d' ' -f1)"
run runs export base --format tfevents
check "status without a folder" 2 $?
run runs import board --name back >/dev/null || { cat log; failed=1; }
run runs export base >one && run runs export back-base >two
python3 - <<'PYTHON' || failed=1
import csv, struct
single = lambda value: struct.unpack("f", struct.pack("f", float(value)))[0]
one, two = ([(r[0], r[1], r[2], single(r[3])) for r in list(csv.reader(open(name)))[1:]] for name in ("one", "two"))
assert one == two and len(one) > 50, (len(one), len(two))
PYTHON
touch board/base/events.out.tfevents.1.other
run runs export base --format tfevents --output board
check "status next to another program's file" 2 $?
holds "it names the file" "events.out.tfevents.1.other" "$(cat log)"

# Damage, and files that are something else.
mkdir cut && head -c -3 board/theirs/events* >cut/events.out.tfevents.1
run runs import cut >text || { cat log; failed=1; }
holds "a truncated end" "ends within the record that begins at byte" "$(cat log)"
echo "hello" >other.log
run runs import other.log
check "status of another file" 2 $?
holds "it says so" "other.log has no curves of TensorBoard, fairseq or JoeyNMT" "$(cat log)"
gzip -k base.log
check "gzip" "zipped: added" "$(run runs import base.log.gz --name zipped | sed 's/,.*//')"

# A name that has to be quoted in CSV.
printf 'epoch 001:     1 / 5 a"b=1, num_updates=1\n' >quoted.log
run runs import quoted.log >/dev/null
holds "quoted" '"fairseq/train/a""b",1,' "$(run runs export quoted)"

# A signal while it reads: nothing is left.
python3 -c 'for step in range(1, 1500000): print(f"epoch 001:     1 / 5 loss=4, nll_loss=3, ppl=8, num_updates={step}")' >large.log
runs=$(ls -A "$STRATA_WORKSPACE"/runs | wc -l)
STRATA_PROGRESS=lines "$STRATA_RUN" runs import large.log >text 2>log &
pid=$!
until grep -q Reading log; do sleep 0.05; kill -0 $pid 2>/dev/null || break; done
kill -TERM $pid
wait $pid
check "status after SIGTERM" 143 $?
holds "it says so" "nothing was imported" "$(cat log)"
check "nothing is left" "$runs" "$(ls -A "$STRATA_WORKSPACE"/runs | wc -l)"
exit $failed
