#!/usr/bin/env bash
# Sentences that a model has no positions for: known before a run's first update, and none of them ends a translation. Pairs that
# are not trained on are told.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level info "$@"; }

# Lines of so many words; a sentence has one token more, </s>.
python3 - <<'PYTHON'
import random
random.seed(1)
def write(name, lengths):
    drawn = [[random.randrange(30) for _ in range(length)] for length in lengths]
    for language, word in (("de", "wort"), ("en", "word")):
        with open(f"{name}.{language}", "w") as file:
            file.writelines(" ".join(f"{word}{i}" for i in each) + "\n" for each in drawn)
write("train", [random.randint(3, 9) for _ in range(300)] + [40, 40, 60])
write("long", [5, 6, 1100])
write("good", [5, 6])
write("lines", [4, 30, 5])
PYTHON
prepare() { # NAME SET...
  run data prepare --name "$1" --source de --target en --tokenizer none --train train.de,train.en "${@:2}" >log 2>&1 || { cat log; exit 1; }
}
prepare long --valid valid=long.de,long.en
prepare good --valid valid=good.de,good.en --valid long=long.de,long.en --max-subwords 50
small='--preset densenmt/4l-2-cpu --set model.embed_dim=16 --set model.hidden=16 --set model.growth=8 --set training.max_updates=4
  --set validation.samples=0 --set validation.monitor=[] --set recording.sentences=0 --set training.threads=1 --set training.device=cpu'
train() { run train $small "$@" >out 2>log; }
refused() { # NAME PART ARGUMENTS...
  train "${@:3}"
  check "$1: status" 2 $?
  holds "$1" "$2" "$(cat log)"
}

# 1. Of a validation set, a monitored one and the training text: before a run is made.
refused 'a validation set' "validation.sets: line 3 of the set 'valid' has 1101 source tokens, </s> included, but the model has positions for 1022 (model.position_rows = 1024): set model.position_rows to at least 1103" --data long
refused 'a monitored set' "validation.monitor: line 3 of the set 'long' has 1101 source tokens" --data good --set validation.monitor=[long]
refused 'a dry run' "line 3 of the set 'valid'" --data long --dry-run
refused 'training pairs' 'data.max_length: 2 training pairs are longer than the 18 tokens, </s> included, that the model has positions for (model.position_rows = 20), the first is pair 301 with 41: set data.max_length to 17 or less, or model.position_rows to at least 43' \
  --data good --set model.position_rows=20
check 'no run was made' '' "$(ls "$STRATA_WORKSPACE/runs" 2>/dev/null)"
train --data good --name two --set 'validation.monitor=["long:2"]' || { cat log; failed=1; } # its first two lines are short

# 2. A run whose sets fit, and what it is not trained on: of 303 pairs one was dropped for its 60 units, two are longer than 18.
train --data good --name fits --set model.position_rows=20 --set data.max_length=17 --set 'validation.monitor=["train-sample:300"]' ||
  { cat log; failed=1; }
told='300 pairs; 2 are left out: longer than 18 tokens, </s> included (data.max_length, or a full batch); 1 was dropped when the dataset was prepared'
holds 'the start tells it' "$told" "$(cat log)"
holds 'its log has it' "$told" "$(cat "$STRATA_WORKSPACE"/runs/*-fits/log.jsonl)"
holds 'runs show' "trained on $told" "$(run runs show fits)"
json=$(run --json runs show fits)
check 'runs show as JSON' '300 2 18 1' "$(for key in pairs left_out longest_pair dropped_units; do value "$json" starts 0 $key; done | xargs)"
holds 'a query' '2' "$(run query "SELECT left_out FROM starts WHERE run = 'fits'")"

# 3. One line of 31 tokens does not end a translation; output stops where the positions do (1.2 x 6 + 10 would be 17, of 15 words 29).
translate() { run translate --run fits@last --threads 1 --input lines.de "$@"; }
translate >skipped 2>err || { cat err; failed=1; }
holds 'the line is named' 'line 2 has 31 source tokens, </s> included, but the model has positions for 18 (model.position_rows = 20): it is not translated, its translation is empty' "$(cat err)"
check 'as many lines' 3 "$(wc -l <skipped)"
check 'an empty translation' '' "$(sed -n 2p skipped)"
translate --too-long cut >cut 2>err || { cat err; failed=1; }
holds 'a cut is named' 'only its first 17 are translated' "$(cat err)"
check 'other lines are as before' "$(sed -n '1p;3p' skipped)" "$(sed -n '1p;3p' cut)"
head -2 lines.de | tail -1 | cut -d ' ' -f 1-17 | run translate --run fits@last --threads 1 >beginning 2>err || { cat err; failed=1; }
check 'its beginning is translated' "$(cat beginning)" "$(sed -n 2p cut)"
translate --too-long error >out 2>err; check 'an error' 2 $?
holds 'an error names it' 'Sentence 2 has 31 source tokens' "$(cat err)"
translate --json >json 2>err || { cat err; failed=1; }
holds 'a warning in JSON' 'it is not translated' "$(value "$(cat json)" translations 1 warning)"
run score --run fits@last --source lines.de --target lines.en --threads 1 >out 2>err; check 'a scorer: status' 2 $?
holds 'a scorer names it' 'Sentence 2 has 31 source tokens' "$(cat err)"
exit $failed
