#!/usr/bin/env bash
# Runs on lower-cased text are scored without case: their configuration says so, and may be changed; what is imported keeps case.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level info "$@"; }
python3 - <<'PYTHON'
import itertools
who = [("Anna", "Anna"), ("Der Lehrer", "The teacher"), ("Peter", "Peter"), ("Die Frau", "The woman")]
does = [("sieht", "sees"), ("mag", "likes"), ("kennt", "knows")]
what = [("Berlin", "Berlin"), ("den Hund", "the dog"), ("Paris", "Paris"), ("Musik", "music")]
pairs = [(f"{a} {b} {c} .", f"{d} {e} {f} .") for (a, d), (b, e), (c, f) in itertools.product(who, does, what)]
for name, part in (("train", pairs * 8), ("valid", pairs[::5])):
    for side, language in enumerate(("de", "en")):
        with open(f"{name}.{language}", "w") as file:
            file.writelines(pair[side] + "\n" for pair in part)
PYTHON
for options in lower:--lowercase cased:; do
  run data prepare --name ${options%%:*} --source de --target en --tokenizer moses ${options#*:} --train train.de,train.en \
    --valid valid=valid.de,valid.en >log 2>&1 || { cat log; exit 1; }
done
small='--preset mlrf/base --set model.embed_dim=32 --set model.ffn_dim=48 --set model.encoder_layers=1 --set model.decoder_layers=1
  --set training.phases=[] --set training.schedule.name=constant --set training.optimizer.lr=5e-3 --set validation.every_epochs=0
  --set validation.samples=0 --set validation.monitor=[] --set recording.sentences=0 --set training.threads=1 --set training.device=cpu'
train() { run train $small "$@" >out 2>log || { cat log; failed=1; }; }
caseOf() { run --json runs show "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["config"].get("scoring", {}).get("case"))'; }
kept() { run translate --run "$1@last" --threads 1 --set valid 2>&1 >/dev/null | grep 'is kept'; }

train --data lower --name small --set training.max_updates=120
check 'a lower-cased target side' lc "$(caseOf small)"
holds 'its file says so' 'case: lc' "$(cat "$STRATA_WORKSPACE"/runs/*-small/config.effective.yaml)"
holds 'a dry run shows it' 'case: lc' "$(run train $small --data lower --dry-run 2>/dev/null)"
holds 'its score' '|case:lc|' "$(kept small)"
train --data cased --name large --set training.max_updates=4
check 'a cased one' None "$(caseOf large)"
holds 'its score' '|case:mixed|' "$(kept large)"
train --data lower --name mixed --set training.max_updates=4 --set scoring.case=mixed
check 'a scorer that was asked for' mixed "$(caseOf mixed)"
holds 'its score' '|case:mixed|' "$(kept mixed)"
# It is changed when a run goes on, and stays when it does without saying so.
run train --resume mixed --set training.max_updates=5 >out 2>log || { cat log; failed=1; }
check 'a run that goes on keeps its own' mixed "$(caseOf mixed)"
run train --resume mixed --set training.max_updates=6 --set scoring.case=lc >out 2>log || { cat log; failed=1; }
check 'and may be changed' lc "$(caseOf mixed)"
run train $small --data lower --name small --continue --set training.max_updates=121 >out 2>log || { cat log; failed=1; }
check 'the same command goes on with it' lc "$(caseOf small)"

# A run from the queue has it from its first start on.
run sweep --name queued --preset mlrf/base --data lower --grid training.dropout=0.1 --seeds 1 --set model.embed_dim=32 --set model.ffn_dim=48 \
  --set model.encoder_layers=1 --set model.decoder_layers=1 --set training.max_updates=2 --set validation.every_epochs=0 \
  --set training.device=cpu >log 2>&1 || { cat log; failed=1; }
run work --once >log 2>&1 || { cat log; failed=1; }
name=$(run --json runs list | python3 -c 'import json, sys; print(next(r["name"] for r in json.load(sys.stdin)["runs"] if r["name"].startswith("queued")))')
check 'a queued run' lc "$(caseOf "$name")"

# Lists and comparisons: alone, with case, and next to an imported system, which is never switched but noted.
signatures() { python3 -c 'import json, sys; print(*sorted({s["scores"]["BLEU"]["signature"].split("|")[1] for s in json.load(sys.stdin)["systems"] if s["set"] == "lower/valid" and s["name"].startswith(sys.argv[1])}))' "$1"; }
check 'a list' case:lc "$(run --json systems list --scores 2>/dev/null | signatures small)"
system=$(run --json systems list --set lower/valid | python3 -c 'import json, sys; print(next(s["id"] for s in json.load(sys.stdin)["systems"] if s.get("run_name") == "small"))')
holds 'a comparison of runs' 'case:lc' "$(run compare --set lower/valid --system "$system")"
holds 'with case' 'case:mixed' "$(run compare --set lower/valid --system "$system" --keep-case)"
tr '[:upper:]' '[:lower:]' <valid.en >imported.txt
run systems import imported.txt --name theirs --set lower/valid >log 2>&1 || { cat log; failed=1; }
holds 'an import is warned about' 'imported.txt: no translation has a capital letter' "$(cat log)"
both=$(run compare --set lower/valid --system "$system" theirs)
holds 'next to an imported system' 'case:mixed' "$both"
holds 'it is noted' 'No capital letter is in the text of' "$both"
holds 'by name' 'theirs' "$(printf '%s' "$both" | grep 'No capital letter')"
holds 'without case by choice' 'case:lc' "$(run compare --set lower/valid --system "$system" theirs --lowercase)"
exit $failed
