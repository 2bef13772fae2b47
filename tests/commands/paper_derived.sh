#!/usr/bin/env bash
# Rows and figures derived from other rows' runs: ensembles, PosUnk, subsets, beams, lengths, curves of monitored sets,
# gradients by layer, recordings. Tiny models on strings of letters, the rarest of which are unknown words.
set -eu
. "$(dirname "$0")/queue.bash"

awk -v at="$folder" 'BEGIN { srand(5)
  for (i = 0; i < 900; ++i) { a = ""; b = ""
    for (j = 3 + int(rand() * 4); j > 0; --j) { c = sprintf("%c", 97 + int(rand() * rand() * 20)); a = a (a == "" ? "" : " ") c; b = b (b == "" ? "" : " ") toupper(c) }
    name = i < 40 ? "valid" : i < 100 ? "test" : "train"
    print a > (at "/" name ".de"); print b > (at "/" name ".en") } }'
run data prepare --name toy --train "$folder/train" --valid valid="$folder/valid" --test test="$folder/test" --source de --target en \
  --vocabulary-size 8 >"$folder/prepare.log" 2>&1 || { cat "$folder/prepare.log" >&2; fail "prepare"; }
run data lexicon --dataset toy >"$folder/lexicon.log" 2>&1 || { cat "$folder/lexicon.log" >&2; fail "lexicon"; }
common=(--data toy --set "training.phases=[]" --set training.schedule.name=constant --set training.optimizer.lr=1e-2
  --set "training.optimizer.groups=[]" --set training.optimizer.weight_decay=0 --set training.batch.unit=sentences
  --set training.batch.size=32 --set training.accumulate=1 --set training.max_updates=200 --set training.log_every=10 --set training.clip_norm=1
  --set validation.every_epochs=0 --set validation.every_updates=100 --set checkpoint.every_updates=100 --set checkpoint.every_epochs=0
  --set checkpoint.every_minutes=0 --set checkpoint.metric=valid/nll --set recording.sentences=0 --set validation.samples=0
  --set decoding.beam=2 --set training.threads=1 --set training.device=cpu)
small=(--set model.embed_dim=16 --set model.hidden=16)
train() { run paper run "$@" >"$folder/queue.log"; run work --once 2>"$folder/work.log" || { tail -n 5 "$folder/work.log" >&2; fail "work: $1"; }; }

# 1. Table 8: one run per seed gives the single rows, the ensemble and PosUnk.
table=(deepatt/table8 --label tiny "${common[@]}" "${small[@]}" --set "validation.monitor=[]" --set model.encoder_layers=1 --set model.decoder_layers=1)
train "${table[@]}"
same "runs" "$(run --json runs list | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runs"]))')" 6
run paper score "${table[@]}" --threads 1 >"$folder/score.log" 2>&1 || { cat "$folder/score.log" >&2; fail "score"; }
run --json paper show "${table[@]}" >"$folder/eight.json"
same "seeds" "$(at "$folder/eight.json" '[score(n)["seeds"] for n in ("Deep-Att, single", "Deep-Att, single + PosUnk", "Deep-Att, ensemble of three")]')" "[3, 3, 1]"
one=$(ls -d "$folder"/w/runs/*-tiny.deepatt-att-9-7.toy.s1)/outputs
same "parameters with the dataset's 12 words a side" "$(at "$folder/eight.json" 'row("Deep-Att, single")["parameters"]')" \
  "$(run --json inspect --run tiny.deepatt-att-9-7.toy.s1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["parameters"])')"
python3 - "$one" <<'PYTHON' || fail "PosUnk replaces unknown words and nothing else"
import glob, sys
plain = open(glob.glob(sys.argv[1] + "/test.step-*.none.tokens")[0]).read().split("\n")
done = open(glob.glob(sys.argv[1] + "/test.step-*.posunk.tokens")[0]).read().split("\n")
pairs = [p for a, b in zip(plain, done, strict=True) for p in zip(a.split(), b.split(), strict=True)]
assert sum(a == "<unk>" for a, _ in pairs) > 10, pairs
assert all(b != "<unk>" if a == "<unk>" else a == b for a, b in pairs), pairs
PYTHON

# 2. Table 9: the sentences whose references have no unknown word.
table=(deepatt/table9 "${table[@]:1}")
run paper score "${table[@]}" --threads 1 >"$folder/score.log" 2>&1 || { cat "$folder/score.log" >&2; fail "score"; }
run --json paper show "${table[@]}" >"$folder/nine.json"
known=$(python3 - "$folder" <<'PYTHON'
import collections, sys
read = lambda name: [line.split() for line in open(f"{sys.argv[1]}/{name}.en")]
counts = collections.Counter(word for line in read("train") for word in line)
words = {word for word, _ in counts.most_common(8)}
print(sum(all(word in words for word in line) for line in read("test")))
PYTHON
)
same "sentences of the subset" "$(at "$folder/nine.json" 'round(60 * score("Deep-Att, subset")["share"])')" "$known"

# 3. Figures of scores: lengths and beams.
figure() { # ID RUN|SCORE... ARGUMENTS
  id=$1; shift
  train "$id" "$@"
  run paper score "$id" "$@" --threads 1 >"$folder/score.log" 2>&1 || { cat "$folder/score.log" >&2; fail "score $id"; }
  run --json paper show "$id" "$@" --svg "$folder/figure.svg" --csv "$folder/figure.csv" >"$folder/figure.json"
  grep -q "</svg>" "$folder/figure.svg" || fail "$id: no SVG"
  [ "$(wc -l <"$folder/figure.csv")" -gt 1 ] || fail "$id: an empty CSV"
}
sizes=(--label tiny "${small[@]}" --set "validation.monitor=[]" --set model.encoder_layers=1 --set model.decoder_layers=1)
figure deepatt/figure3 "${common[@]}" "${sizes[@]}"
line() { at "$folder/figure.json" "[s for p in d['panels'] if p['key'] == '$1' for s in p['series'] if s['name'] == '$2'][0]['points']$3"; }  # PANEL SERIES EXPRESSION
words() { awk -v low=$1 -v high=$2 'NF > low && NF <= high' "$folder/test.de" | wc -l; }
same "bins" "$(line test "Deep-Att, single" "[0]['label']"); $(line test "Deep-Att, single" "[1]['label']")" \
  "0 < words <= 4, $(words 0 4) sentences; 4 < words <= 7, $(words 4 7) sentences"
same "runs of a bin" "$(line test "Deep-Att, single" "[0]['runs']")" 3
figure deepatt/beam "${common[@]}" "${sizes[@]}"
same "beam 2 is the preset's" "$(line test Deep-Att "[1]['y']")" "$(at "$folder/eight.json" 'score("Deep-Att, single")["mean"]')"
same "speed" "$(line speed Deep-Att "[0]['y'] > 0")" True

# 4. Curves of monitored sets: test over train, one point per validation.
watched=(--label watched --seeds 1 "${common[@]}" --set training.max_updates=20 --set validation.every_updates=10 --set "validation.monitor=[train-sample:50,test]")
figure deepatt/figure4 "${watched[@]}" "${small[@]}"
same "a point a validation" "$(line test 1/1 ".__len__()")" 2
watched_run=$(at "$folder/figure.json" 'next(r["name"] for r in d["work"]["runs"] if r["preset"] == "deepatt/att-1-1")')
last() { run runs export "$watched_run" | grep "^$1," | tail -n 1 | sed 's/.*,//'; }
same "test over train" "$(line test 1/1 "[1]['x']") $(line test 1/1 "[1]['y']")" "$(last train-sample/token-error) $(last test/token-error)"

# 5. Gradients by layer: without fast-forward connections almost nothing reaches the first of nine layers.
figure deepatt/depth "${common[@]}" "${small[@]}" --label deep --seeds 1 --set training.max_updates=20 --set "validation.monitor=[]"
same "layers" "$(line encoder "9/7, F-F" ".__len__()") $(line decoder "9/7, F-F" ".__len__()")" "9 7"
same "with fast-forward connections" "$(line encoder "9/7, F-F" "[0]['y'] > 0.01 * [s for s in d['panels'][0]['series'] if s['name'] == '9/7, F-F'][0]['points'][8]['y']")" True
same "without" "$(line encoder "9/7, no F-F" "[0]['y'] < 1e-4 * [s for s in d['panels'][0]['series'] if s['name'] == '9/7, no F-F'][0]['points'][8]['y']")" True

# 6. The other papers' curves and recordings.
figure densenmt/figure5 "${watched[@]}" --set model.embed_dim=16 --set "model.hidden=8" --set model.growth=4 --set "model.kernel=3" \
  --set model.encoder_layers=2 --set model.decoder_layers=2 --set model.summary_every=0
same "train and test" "$(line en-de "ConvS2S, train" ".__len__() > 0") $(line en-de "DenseNMT-En-De-15, test" ".__len__()")" "True 2"
dhea=(--label arcs --seeds 1 "${common[@]}" --set model.hidden=16 --set model.encoder_layers=1 --set model.decoder_layers=2 --set "validation.monitor=[]"
  --set training.max_updates=20 --set validation.every_updates=10 --set recording.sentences=4)
figure dhea/figure3 "${dhea[@]}"
same "arcs" "$(at "$folder/figure.json" 'len(d["arcs"]) > 0 and all(a["to"] <= a["from"] for c in d["arcs"] for a in c["arcs"])')" True
figure dhea/ratio "${dhea[@]/arcs/ratio}"
same "shares" "$(at "$folder/figure.json" 'sorted({s["name"].split(",")[0] for s in d["panels"][0]["series"]}), all(0 <= p["y"] <= 1 for s in d["panels"][0]["series"] for p in s["points"] if p["y"] is not None)')" \
  "(['DHEA + Gate', 'DHEA + Hybrid', 'DHEA + Sum'], True)"
