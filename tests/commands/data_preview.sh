#!/usr/bin/env bash
# What `data preview` and `data show --figures` print, against the same figures counted by awk and python.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STRATA_WORKSPACE=$work/workspace
fail() { echo "FAILED: $*" >&2; exit 1; }
run() { "$STRATA_RUN" --log-level error "$@"; }

mkdir "$work/corpus"
cd "$work/corpus"
# Sentences of 1 to 30 words out of 400, the frequent ones first; some lines empty, some much longer on one side.
awk 'BEGIN { srand(7); for (i = 1; i <= 2000; i++) { n = 1 + int(rand() * 30); s = ""; t = ""
  for (j = 0; j < n; j++) { w = int(400 * rand() ^ 3); s = s (j ? " " : "") "wort" w; t = t (j ? " " : "") "word" w }
  if (i % 97 == 0) s = ""
  if (i % 331 == 0) t = t " " t " " t " " t
  print s > "train.de"; print t > "train.en" } }'
head -50 train.de | tail -20 >valid.de
head -50 train.en | sed 's/word1/ward1/g' | tail -20 >valid.en

run --json data preview train.de train.en valid.de valid.en --merges 30,60 >"$work/preview.json"
python3 - "$work/preview.json" <<'PY' || fail "the preview differs from python's count"
import collections, json, sys
preview = json.load(open(sys.argv[1]))
read = lambda name: [line.rstrip("\n").split() for line in open(name)]
pairs = list(zip(read("train.de"), read("train.en")))
kept = [(s, t) for s, t in pairs if s and t]
assert preview["read"] == len(pairs) == 2000, preview["read"]
assert preview["kept"] == len(kept) and preview["dropped"] == {"empty": 2000 - len(kept)}, preview["dropped"]
assert [line["line"] for line in preview["rejected"][:3]] == [97, 194, 291], preview["rejected"][:3]
figures = preview["figures"]
for side, name in enumerate(("source", "target")):
    words = [word for pair in kept for word in pair[side]]
    lengths = sorted(len(pair[side]) for pair in kept)
    of = figures[name]
    assert (of["tokens"], of["types"], of["longest"]) == (len(words), len(set(words)), lengths[-1]), of
    assert abs(of["mean"] - len(words) / len(kept)) < 1e-12
    assert of["median"] == lengths[-(-len(kept) // 2) - 1], of["median"]
    for tokens, types in of["growth"]:
        assert types == len(set(words[:tokens])), (tokens, types)
    for label in figures["lengths"]:
        low, _, high = label["words"].replace("+", "-").partition("-")
        low, high = int(low), int(high) if high else (10**9 if "+" in label["words"] else int(low))
        assert label[name] == sum(low <= length <= high for length in lengths), label
    counts = collections.Counter(words)
    order = [word for word, _ in sorted(counts.items(), key=lambda item: -item[1])]  # stable: ties by first appearance
    wanted = [word for line in read(("valid.de", "valid.en")[side]) for word in line]
    coverage = next(c for c in figures["coverage"] if c["side"] == name)
    for size, share in coverage["points"]:
        known = set(order[:size])
        assert abs(share - sum(word in known for word in wanted) / len(wanted)) < 1e-12, (size, share)
ratios = [max(len(s), len(t)) / min(len(s), len(t)) for s, t in kept]
assert figures["outlier_pairs"] == sum(ratio > 3 for ratio in ratios) > 0
valid = list(zip(read("valid.de"), read("valid.en")))
sources, targets = {tuple(s) for s, _ in kept}, {tuple(t) for _, t in kept}
both = {(tuple(s), tuple(t)) for s, t in kept}
assert figures["overlap"] == [{"set": "valid", "sentences": 20, "source": sum(tuple(s) in sources for s, _ in valid),
    "target": sum(tuple(t) in targets for _, t in valid), "pair": sum((tuple(s), tuple(t)) in both for s, t in valid)}]
assert [row["merges"] for row in preview["merges"]["rows"]] == [0, 30, 60] and not preview["merges"]["is_sample"]
PY

# An archive and a folder hold the same.
tar czf "$work/corpus.tgz" train.de train.en valid.de valid.en
for place in "$work/corpus.tgz" "$work/corpus"; do
  run --json data preview "$place" --merges 30,60 | python3 -c '
import json, sys
a, b = json.load(sys.stdin), json.load(open(sys.argv[1]))
assert a["figures"] == b["figures"] and a["merges"] == b["merges"] and a["read"] == b["read"]' "$work/preview.json" || fail "$place"
done

# What was previewed is what is prepared: the counts, the overlap, and the vocabulary of as many merges.
STRATA_PROGRESS=lines run --json data prepare --name toy --source de --target en --train train.de,train.en --valid valid=valid.de,valid.en --bpe 60 \
  >"$work/manifest.json" 2>"$work/progress"
grep -q '^{"progress":"reading train","done":' "$work/progress" || fail "no progress: $(cat "$work/progress")"
python3 - "$work/preview.json" "$work/manifest.json" <<'PY' || fail "the preview differs from the dataset"
import json, sys
preview, manifest = (json.load(open(name)) for name in sys.argv[1:])
assert preview["kept"] == manifest["train"]["pairs"] and preview["dropped"] == manifest["train"]["dropped"]
overlap = preview["figures"]["overlap"][0]
assert manifest["sets"]["valid"]["overlap_with_train"] == {key: overlap[key] for key in ("source", "target", "pair")}
row = preview["merges"]["rows"][2]
for side in ("source", "target"):
    assert row[side]["vocabulary"] + 4 == manifest[side]["vocabulary"], (side, row[side], manifest[side])  # four special tokens
    assert abs(row[side]["units_per_word"] * preview["figures"][side]["tokens"] - manifest["train"][side + "_tokens"]) < 0.01
PY
run --json data show toy --figures | python3 -c '
import json, sys
a, b = json.load(sys.stdin)["text"]["figures"], json.load(open(sys.argv[1]))["figures"]
assert a["source"] == b["source"] and a["coverage"] == b["coverage"] and a["overlap"] == b["overlap"]' "$work/preview.json" || fail "show"
run data show toy --figures >"$work/out"
grep -q '^shared with train' "$work/out" || fail "show prints no table"

# Bad text is named and read over; nothing is written.
printf 'a b\n\xff\nc d\n' >bad.de
printf 'a b\nx\n' >bad.en
run --json data preview bad.de bad.en | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert [(line["reason"], line["line"], line["file"], line["stops"]) for line in p["rejected"]] == \
    [("bad UTF-8", 2, "bad.de", True), ("unequal counts", 3, "bad.en", True)], p["rejected"]
assert p["kept"] == 1' || fail "bad text"
[ "$(ls "$STRATA_WORKSPACE/datasets")" = toy ] || fail "left: $(ls "$STRATA_WORKSPACE/datasets")"
run data preview train.de train.en --limit 100 >"$work/out"
grep -q '^the first 100 pairs read' "$work/out" || fail "limit"
run data preview multi30k-deen 2>"$work/err" && fail "a recipe without files"
grep -q 'How to get the files' "$work/err" || fail "$(cat "$work/err")"
