#!/usr/bin/env bash
# DenseNMT's equations as printed, from the preset to its row: presets train, translate in all arithmetics, are drawn and
# read, and stand in the tables next to the released code with the same printed scores. Averages of MLRF are normalised.
. "$(dirname "$0")/measured.bash"
modelOf() { dirname "$(find "$STRATA_WORKSPACE"/runs/*-"$1" -name model.safetensors | head -1)"; } # RUN: a folder
narrow=(--set model.embed_dim=16 --set model.hidden=12 --set model.growth=8)
for preset in literal-4l-1 literal-8l-2 literal-att-4l; do
  train "$preset" "densenmt/$preset" "${narrow[@]}"
  stored=$(modelOf "$preset")
  check "$preset: the stored model's reading" "own True True" \
    "$(json "$stored/config.json" 'report["attention_values"], report["without_query_word"], report["without_length_gain"]' | tr -d "(',)")"
  head -5 "$sides/raw.source" >source
  for how in float32 bf16 int8; do
    run translate --run "$preset@last" --compute "$how" --beam 3 <source >"$how.txt" || { cat log; failed=1; }
    check "$preset: translations in $how" 5 "$(wc -l <"$how.txt")"
  done
done
run --json readers literal-8l-2@last --limit 20 >readers.json || { cat log; failed=1; }
check "values are read from a layer and h0" "['h0', 'layer 8']" \
  "$(json readers.json 'next([b["name"] for b in r["blocks"]] for r in report["readers"] if r["name"] == "value 1")')"

row() { run --json paper show "$1" >table.json || cat log; json table.json "next(r for r in report['rows'] if r['name'] == '$2')$3"; }
for each in "table1:DenseNMT-8L-2" "table2:DenseAtt-4L" "table4:DenseNMT-8L-2 (word)" "table5:DenseNMT-En-De-15"; do
  table=densenmt/${each%%:*} name=${each#*:}
  check "$table, $name: printed once, beside both" "$(row "$table" "$name" "['printed']")" \
    "$(row "$table" "$name, as printed" "['printed']")"
done
check "parameters as printed" 159946016 "$(row densenmt/table5 "DenseNMT-En-De-15, as printed" "['parameters']")"
check "a quarter of the widths" 176134688 "$(row densenmt/table5 "DenseNMT-En-De-15, a quarter as wide" "['parameters']")"
check "the script's widths" 170923296 "$(row densenmt/table5 DenseNMT-En-De-15 "['parameters']")"

train averaged mlrf/dec-avg --set model.embed_dim=16 --set model.ffn_dim=16
stored=$(modelOf averaged)
check "the average is normalised" plain "$(json "$stored/config.json" 'report["decoder_fusion"]["avg_norm"]')"
exit $failed
