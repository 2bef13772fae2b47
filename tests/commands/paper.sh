#!/usr/bin/env bash
# The papers' tables as a user runs them: list, show, run, work, score, show again, with tiny models on a generated corpus.
set -eu
. "$(dirname "$0")/queue.bash"

# 1. Without a workspace: published results and parameter counts; nothing is written.
run --json paper show mlrf/table2 --vocabulary 8389,6428 >"$folder/printed.json"
[ ! -e "$folder/w" ] || fail "show made a workspace"
same "table" "$(at "$folder/printed.json" 'd["table"]')" mlrf/table2
same "parameters" "$(at "$folder/printed.json" '[row(n)["parameters"] for n in ("Enc-FNN", "Both-SA (4 hops)", "RNN-MIXER")]')" "[11631644, 12819996, None]"
same "printed" "$(at "$folder/printed.json" 'row("Both-FNN-SA (4 hops)")["printed"]')" "{'valid': 34.55, 'test': 33.59}"
same "preset" "$(at "$folder/printed.json" 'row("Both-FNN-SA (4 hops)")["preset"], row("RNN-MIXER")["preset"]')" "('mlrf/both-fnn-sa4', None)"
same "measured" "$(at "$folder/printed.json" 'row("Enc-FNN")["measured"]')" None
run --json paper show mlrf/table3 >"$folder/zhen.json"
same "recomputed" "$(at "$folder/zhen.json" 'row("Dec-AVG")["printed"]["average"], round(row("Dec-AVG")["recomputed"]["average"], 2)')" "(41.49, 41.41)"
run --json paper list | grep -q '"densenmt/table3"' || fail "list"
status=0; run paper show mlrf/table22 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "mlrf/table2'" "$folder/err" || fail "unknown table: $(cat "$folder/err")"
status=0; run paper run mlrf/table2 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "data prepare iwslt14-deen" "$folder/err" || fail "no dataset: $(cat "$folder/err")"

# 1b. What a paper prints is shown with its digits and all its columns, and counted with each row's and column's words.
run --json paper show deepatt/table1 >"$folder/att.json"
same "words of the rows" "$(at "$folder/att.json" '[row(n)["parameters"] for n in ("Deep-Att", "Deep-Att (12M, 30K)")]')" "[219896448, 137926448]"
same "said for which words" "$(at "$folder/att.json" 'row("Deep-Att (12M, 30K)")["vocabulary"], d["vocabulary"]')" "([30000, 30000], [200000, 80000])"
run paper show deepatt/table1 --latex "$folder/att.tex" --csv "$folder/att.csv" >"$folder/att.txt"
grep -qE '^Deep-Att +36M +80K +219896448 +37\.7 +\+1\.4$' "$folder/att.txt" && grep -q "of 200000/80000; of 30000/30000 in Deep-Att (12M, 30K)" "$folder/att.txt" || fail "$(cat "$folder/att.txt")"
grep -q '^Deep-Att & 36M & 80K & 219896448 & 37.7 & +1.4' "$folder/att.tex" && grep -q '^deepatt/table1,Deep-ED,.*,36.3,.*,36M,80K$' "$folder/att.csv" || fail "LaTeX or CSV of facts"
run --json paper show deepatt/table1 --vocabulary 90,80 >"$folder/att.json"
same "sizes that were asked for" "$(at "$folder/att.json" 'row("Deep-Att")["parameters"] == row("Deep-Att (12M, 30K)")["parameters"], "vocabulary" in row("Deep-Att (12M, 30K)")')" "(True, False)"
run --json paper show densenmt/table1 >"$folder/dense.json"
same "words of the columns" "$(at "$folder/dense.json" '[round(row("BASE-4L")["column_parameters"][c] / 1e6, 2) for c in ("de-en-64", "tr-en-256", "tr-en-morph-256")]')" "[7.11, 27.57, 35.27]"
run paper show densenmt/table1 --csv "$folder/dense.csv" >"$folder/dense.txt"
grep -qE '^Model size \(M\) .* 17 ± 1 \(16\.44 to 19\.12\)  11 ± 1' "$folder/dense.txt" && grep -q ' 19.80 ' "$folder/dense.txt" && grep -q ',19.80,.*,11 ± 1$' "$folder/dense.csv" || fail "$(cat "$folder/dense.txt")"
run paper show densenmt/embedding | grep -q "of 18796/13926 in De-En; of 30000/30000 in Tr-En; of 40000/40000 in Tr-En-morph" || fail "the words of a figure's panels"
run paper show densenmt/speed | grep -qE '^DenseNMT-En-De-15 .* 1571 +13 ' || fail "epoch 13 is shown otherwise"
run paper show densenmt/embedding --suffix none >"$folder/small"
grep -q "no preset 'densenmt/base-4l-e64-none'" "$folder/small" && ! grep -q "no preset 'densenmt/base-4l-e64'" "$folder/small" || fail "a missing preset: $(cat "$folder/small")"
! run paper show densenmt/embedding --suffix cpu | grep "no preset" || fail "a size without a small preset"

# 1c. A table of properties and the drawings of structures: of the models themselves, so that nothing can be run for them.
run --json paper list >"$folder/list.json"
same "structures" "$(at "$folder/list.json" 'sum(f["kind"] in ("structure", "properties") for f in d["figures"])')" 10
run paper show mlrf/table1 --latex "$folder/one.tex" --csv "$folder/one.csv" >"$folder/one.txt"
grep -qE '^Self-att.-based +mlrf/dec-sa4 .* Yes +Yes +Yes +4 +[0-9]+ +4$' "$folder/one.txt" && grep -qE '^Baseline .* No +No +No +0 +0 +–$' "$folder/one.txt" || fail "$(cat "$folder/one.txt")"
grep -q '^Avg-pooling & mlrf/dec-avg' "$folder/one.tex" && grep -q '^Avg-pooling,mlrf/dec-avg,' "$folder/one.csv" || fail "LaTeX or CSV of properties"
run paper show densenmt/figure1 --svg "$folder/one.svg" --csv "$folder/one.csv" >"$folder/one.txt"
grep -q 'dense: ' "$folder/one.txt" && grep -q '>fast-forward<\|>dense<' "$folder/one.svg" && grep -q '^dense,encoder,layer 2,' "$folder/one.csv" || fail "a structure: $(cat "$folder/one.txt")"
run --json paper show deepatt/figure2 >"$folder/two.json"
same "the network of a preset" "$(at "$folder/two.json" '[(n["preset"], n["parameters"], len(n["network"]["columns"])) for n in d["networks"]]')" "[('deepatt/att-9-7', 219896448, 3)]"
for verb in run score; do
  status=0; run paper $verb mlrf/table1 2>"$folder/err" || status=$?
  [ $status = 2 ] && grep -q "nothing is trained or scored for it" "$folder/err" || fail "$verb of properties: $(cat "$folder/err")"
done
status=0; run paper show mlrf/table1 --svg "$folder/no.svg" 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "is a table" "$folder/err" || fail "a drawing of a table: $(cat "$folder/err")"
[ ! -e "$folder/w" ] || fail "show made a workspace"

# 2. Two rows, three seeds: what is queued once is not queued again.
run data generate --name toy --size 1500 --seed 3 >/dev/null 2>&1
options=(mlrf/table2 --data toy --label tiny --rows "+RestartAdam,Dec-SA (4 hops)"
  --set model.embed_dim=32 --set model.ffn_dim=64 --set model.fusion_attn_dim=16 --set model.fusion_ffn_dim=16
  --set model.encoder_layers=1 --set model.decoder_layers=1 --set "training.phases=[]" --set training.schedule.name=inverse_sqrt
  --set training.schedule.warmup=20 --set training.batch.unit=sentences --set training.batch.size=64
  --set training.optimizer.lr=3e-3 --set training.max_updates=60 --set training.log_every=20
  --set "validation.monitor=[]" --set validation.every_epochs=0 --set validation.every_updates=30
  --set "validation.metrics=[nll,token-error]" --set checkpoint.every_updates=30
  --set checkpoint.every_epochs=0 --set checkpoint.metric=valid/nll
  --set recording.sentences=0 --set validation.samples=0 --set decoding.beam=2 --set training.threads=1 --set training.device=cpu)
run --json paper run "${options[@]}" >"$folder/queued.json"
same "queued" "$(at "$folder/queued.json" '[r["outcome"] for r in d["runs"]]')" "['queued', 'queued', 'queued', 'queued', 'queued', 'queued']"
same "name" "$(at "$folder/queued.json" 'd["runs"][0]["name"]')" tiny.mlrf-base.toy.s1
run paper run "${options[@]}" | grep -q "0 of 6 runs queued now" || fail "queued twice"
status=0; run paper run "${options[@]}" --set training.dropout=0.3 2>"$folder/err" || status=$?
[ $status = 2 ] && grep -q "training.dropout is 0.1 there and 0.3 here" "$folder/err" || fail "other settings: $(cat "$folder/err")"
run paper show "${options[@]}" | grep -q "0/3, 3 queued" || fail "queued runs are not shown"

# 3. One run is trashed; running the table again queues only that one.
run runs trash tiny.mlrf-dec-sa4.toy.s2 >/dev/null
run --json paper run "${options[@]}" >"$folder/again.json"
same "again" "$(at "$folder/again.json" '[r["name"] for r in d["runs"] if r["outcome"] == "queued"]')" "['tiny.mlrf-dec-sa4.toy.s2']"
run work --once 2>"$folder/work.log" || { tail -5 "$folder/work.log" >&2; fail "work"; }
run paper show "${options[@]}" | grep -q "paper score mlrf/table2" || fail "nothing says that runs wait to be scored"

# 4. Scored once; the evaluation on the test set is counted, text and score are in the run's folder.
run --json paper score "${options[@]}" --threads 1 >"$folder/scored.json" 2>"$folder/err" || { cat "$folder/err" >&2; fail "score"; }
same "made" "$(at "$folder/scored.json" 'd["made"], d["kept"], d["waiting"]')" "(12, 0, 0)"
run --json paper score "${options[@]}" --threads 1 >"$folder/scored.json"
same "kept" "$(at "$folder/scored.json" 'd["made"], d["kept"]')" "(0, 12)"
same "looks" "$(run --json runs show tiny.mlrf-base.toy.s1 | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["looks"]))')" 1
output=$(ls "$folder"/w/runs/*base.toy.s1/outputs/test.step-*.tokens)
run --json paper show "${options[@]}" --latex "$folder/t.tex" --csv "$folder/t.csv" >"$folder/measured.json"
reference=$(ls "$folder"/w/datasets/toy/sets/test/tokens.reference* "$folder"/w/datasets/toy/*/tokens.reference* "$folder"/w/datasets/toy/*/*/tokens.target* 2>/dev/null | head -1)
run --json evaluate --hypothesis "$output" --reference "$reference" --metric multi-bleu --lowercase >"$folder/score.json"
same "score" "$(at "$folder/measured.json" 'round(row("+RestartAdam")["measured"]["test"]["runs"][0]["value"], 9)')" \
  "$(python3 -c 'import json, sys; print(round(json.load(open(sys.argv[1]))["systems"][0]["scores"]["multi-bleu"]["score"], 9))' "$folder/score.json")"
same "seeds" "$(at "$folder/measured.json" 'row("Dec-SA (4 hops)")["measured"]["test"]["seeds"]')" 3
same "a test with three seeds has a direction" "$(at "$folder/measured.json" 'row("Dec-SA (4 hops)")["measured"]["test"]["gain"]["direction"] in ("confirmed", "opposite", "undecided")')" True
same "made-up data are not the paper's" "$(at "$folder/measured.json" '"difference" in row("+RestartAdam")["measured"]["test"]')" False
same "one best" "$(at "$folder/measured.json" 'sum(r.get("best_by_valid", False) for r in d["rows"])')" 1
grep -q 'tabular' "$folder/t.tex" && grep -q '^mlrf/table2,Dec-SA (4 hops),mlrf/dec-sa4,test,toy,test,' "$folder/t.csv" || fail "LaTeX or CSV"
run paper show "${options[@]}" >"$folder/shown"
grep -q "measured on toy" "$folder/shown" && grep -q "hierarchical bootstrap" "$folder/shown" || fail "the shown table"
run --json paper show "${options[@]}" --seeds 2 >"$folder/two.json"
same "no direction with two seeds" "$(at "$folder/two.json" 'row("Dec-SA (4 hops)")["measured"]["test"]["gain"]["direction"]')" "too few seeds"

# 5. A damaged translation is repeated.
echo "x" >>"$output"
run --json paper score "${options[@]}" --threads 1 >"$folder/scored.json"
same "repaired" "$(at "$folder/scored.json" 'd["made"]')" 1

# 6. A figure draws the available runs and lists the missing ones.
run --json paper show mlrf/figure4 "${options[@]:1:4}" --seeds 1 --svg "$folder/f.svg" --csv "$folder/f.csv" >"$folder/figure.json"
series() { at "$folder/figure.json" "len(next(s for s in d['panels'][0]['series'] if s['name'] == '$1')['points'])"; }
same "valid curve" "$(series 'baseline, p = 0.1, valid')" 2
same "nothing is made up" "$(series 'baseline, p = 0.2, valid')" 0
same "missing" "$(at "$folder/figure.json" 'any("set-" in m for m in d["missing"]), any("train-sample/token-error" in m for m in d["missing"])')" "(True, True)"
grep -q 'Dec-SA, valid' "$folder/f.svg" && grep -q '^mlrf/figure4,accuracy,"Dec-SA, valid",60,' "$folder/f.csv" || fail "SVG or CSV of a figure"

# 7. Rows whose preset has no variant are reported, and the others are queued; a small one is there of each.
run paper run dhea/table2 --data toy --data wmt14-enfr-50k=toy --suffix stable --seeds 1 >"$folder/small" || fail "a table with a suffix"
grep -q "dhea-gate-stable.toy.s1 .*queued" "$folder/small" && grep -q "not run: no preset 'dhea/gate-big-stable'" "$folder/small" || fail "$(cat "$folder/small")"
run paper run mlrf/table2 --data toy --suffix cpu --seeds 1 >"$folder/small" || fail "small systems"
grep -q "mlrf-enc-fnn-cpu.toy.s1 .*queued" "$folder/small" && grep -q "mlrf-base-mle-cpu.toy.s1 .*queued" "$folder/small" && ! grep -q "not run" "$folder/small" || fail "$(cat "$folder/small")"
grep -q "not subtracted from printed ones because of --suffix cpu; .*the dataset toy, not made by the recipe iwslt14-deen" "$folder/small" || fail "$(cat "$folder/small")"
run workspace check | grep -q "all is well" || fail "workspace check"
echo "the papers' tables hold"
