#!/usr/bin/env bash
# Verbs of `strata-run runs` on two small runs: samples (what a run made of some sentences at each validation), diff,
# checkpoints, note, list with settings and groups.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" "$@" 2>log; }
train() { # NAME SAMPLES [SETTING]
  run train --data tiny --name "$1" --preset demo/mlrf --set training.max_updates=4 --set validation.every_updates=2 \
    --set validation.every_epochs=0 --set 'validation.metrics=[nll]' --set validation.samples="$2" --set checkpoint.metric=valid/nll \
    --set training.threads=1 --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2 \
    --set model.decoder_layers=2 ${3:+--set "$3"} >/dev/null || { cat log; exit 1; }
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
check "computed in the same place, with the same result" "[] []" "$(python3 -c 'import json
d = json.load(open("json")); print(d["environment"], d["metrics"])')"
run runs diff sampled sampled >text
holds "nothing differs" "same configuration" "$(cat text)"

run runs list --setting validation.samples --setting model.embed_dim >text
check "settings as columns" "validation.samples 2 0" "$(awk '{ for (i = 1; i <= NF; ++i) if (NR == 1 && $i == "validation.samples") c = i
printf "%s%s", sep, $c; sep = " " }' text)"
run --json runs list --setting validation.samples >json
check "the same as JSON" "0 2" "$(python3 -c 'import json
print(*sorted(r["settings"]["validation.samples"] for r in json.load(open("json"))["runs"]))')"
run runs list --setting validation.sample
check "status of a setting that no run has" 2 $?
holds "the nearest" "the nearest is 'validation.samples'" "$(cat log)"
run runs list --groups --setting seed
check "groups have no settings" 2 $?

train sampled-2 2 seed=2
# What differs, from what `show` says of each run; with --all everything.
run translate --run sampled --set test >/dev/null || { cat log; failed=1; }
STRATA_MKL_FAST=0 run train --resume sampled-2 --set training.max_updates=6 --set training.threads=2 >/dev/null || { cat log; failed=1; }
for name in sampled sampled-2; do run --json runs show $name >$name.json; done
run --json runs diff sampled sampled-2 >differs
run --json runs diff sampled sampled-2 --all >all
run runs diff sampled sampled-2 >text
python3 - <<'PYTHON' || failed=1
import json
left, right = (json.load(open(name + ".json")) for name in ("sampled", "sampled-2"))
differs, everything = json.load(open("differs")), json.load(open("all"))
names = ["program", "libtorch", "device", "threads", "processes", "mkl_fast", "host", "dataset_digest",
         "source_vocabulary_digest", "target_vocabulary_digest"]
starts = [(k, left["starts"][-1][k], right["starts"][-1][k]) for k in names]
said = lambda d: [(e["key"], e["left"], e["right"]) for e in d["environment"]]
assert said(everything) == starts, said(everything)
assert said(differs) == [s for s in starts if s[1] != s[2]], said(differs)
assert {"threads", "mkl_fast"} <= {s[0] for s in said(differs)}, said(differs)
metrics = {}
for i, run in enumerate((left, right)):
    for s in run["series"]:
        if not s["name"].startswith("valid"): continue
        metrics.setdefault("best " + s["name"], {})[i] = s["maximum" if s["name"].endswith(("bleu", "accuracy")) else "minimum"]
        metrics.setdefault("last " + s["name"], {})[i] = s["last"]
    for look in run["looks"]:
        for scorer, score in look["scores"].items():
            metrics.setdefault(f"score {look['set']} {scorer}", {})[i] = score["score"] if isinstance(score, dict) else score
assert any(m.startswith("score test") for m in metrics), metrics
got = {m["metric"]: m for m in everything["metrics"]}
assert got.keys() == metrics.keys(), (got.keys(), metrics.keys())
for name, values in metrics.items():
    a, b, m = values.get(0), values.get(1), got[name]
    assert (m["left"], m["right"]) == (a, b), m
    if None in (a, b) or a == b:
        assert m["better"] is None, m
        continue
    assert abs(m["difference"] - (b - a)) < 1e-12, m
    lower = name.endswith(("nll", "TER"))
    assert m["better"] == ("left" if (a < b) == lower else "right"), m
assert {m["metric"] for m in differs["metrics"]} == {n for n, v in metrics.items() if v.get(0) != v.get(1)}
row = next(line.split() for line in open("text") if line.startswith("best valid/nll"))
best = got["best valid/nll"]
assert row[-1] == {"left": "sampled", "right": "sampled-2"}[best["better"]], row
assert abs(float(row[-2]) - best["difference"]) <= 1e-4 * abs(best["difference"]) and float(row[2]) == float(f"{best['left']:.5g}"), row
PYTHON

run runs list --groups >text
check "seeds are one line" 2 "$(awk '$1 == "sampled" { print $2 }' text)"
run --json runs list --groups >json
python3 - <<'PYTHON' || failed=1
import json, statistics, subprocess, os
groups = {g["name"]: g for g in json.load(open("json"))["groups"]}
assert sorted(groups) == ["sampled", "silent"], groups
runs = {r["name"]: r["best"] for r in json.loads(subprocess.run([os.environ["STRATA_RUN"], "--json", "runs", "list"],
    stdout=subprocess.PIPE, check=True).stdout)["runs"]}
scores = [runs["sampled"], runs["sampled-2"]]
best = groups["sampled"]["best"]
assert best["count"] == 2 and abs(best["mean"] - statistics.mean(scores)) < 1e-9, (best, scores)
assert abs(best["std"] - statistics.stdev(scores)) < 1e-9
assert abs(best["high"] - best["mean"] - 12.7062 * best["std"] / 2 ** 0.5) < 1e-9
assert groups["silent"]["best"]["std"] is None
PYTHON

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
