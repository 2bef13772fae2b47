#!/usr/bin/env bash
# Drives `strata-run evaluate` as a user does: hand-computed scores, several references, JSON, errors that name files.
. "$(dirname "$0")/checks.bash"

printf 'the cat sat on the mat\na b c d e\n' > ref.txt
printf 'the cat sat on the mat\na b c d e\n' > same.txt
printf 'the cat sat on a mat\na b c d f\n' > near.txt
printf 'The cat sat on the mat\nA b c d e\n' > case.txt

json=$("$STRATA_RUN" evaluate --hypothesis same.txt near.txt --reference ref.txt --json 2> log) || failed=1
check 'nothing else on stdout' 2 "$(value "$json" systems | python3 -c 'import sys; print(len(eval(sys.stdin.read())))')"
check 'a perfect score' 100.0 "$(value "$json" systems 0 scores BLEU score | cut -c1-5)"
check 'its name' same.txt "$(value "$json" systems 0 name)"
check 'counts by hand' '[9.0, 6.0, 4.0, 2.0]' "$(value "$json" systems 1 scores BLEU counts)"
check 'totals by hand' '[11.0, 9.0, 7.0, 5.0]' "$(value "$json" systems 1 scores BLEU totals)"
check 'signature' 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:strata-0.1.0' \
  "$(value "$json" systems 0 scores BLEU signature)"

json=$("$STRATA_RUN" --json evaluate --hypothesis case.txt --reference ref.txt --metric bleu,multi-bleu --lowercase)
check 'multi-bleu without case' 'BLEU = 100.00, 100.0/100.0/100.0/100.0 (BP=1.000, ratio=1.000, hyp_len=11, ref_len=11)' \
  "$(value "$json" systems 0 scores multi-bleu line)"

json=$("$STRATA_RUN" --json evaluate --hypothesis near.txt --reference ref.txt near.txt)
check 'two references' 100.0 "$(value "$json" systems 0 scores BLEU score | cut -c1-5)"

json=$("$STRATA_RUN" --json evaluate --hypothesis same.txt near.txt --reference ref.txt --significance bootstrap)
check 'the baseline' same.txt "$(value "$json" significance 0 baseline)"
check 'a loss' - "$(value "$json" significance 0 difference | cut -c1)"

check 'a line a sentence' 2 "$("$STRATA_RUN" evaluate --hypothesis near.txt --reference ref.txt --sentence | wc -l)"
holds 'a table for people' 'near.txt' "$("$STRATA_RUN" evaluate --hypothesis near.txt --reference ref.txt)"

printf 'well-known a-b-c\n' > hyphen.txt
printf 'well ##AT##-##AT## known a ##AT##-##AT## b-c\n' > split.txt
"$STRATA_RUN" --json evaluate --hypothesis hyphen.txt --reference hyphen.txt --metric multi-bleu --split-hyphens > split.json
check 'hyphens make words' 6 "$(value "$(cat split.json)" systems 0 scores 'multi-bleu, hyphens split' sys_len)"

printf 'S-1\ta\nH-1\t-0.5\ta b c d f\nS-0\tb\nH-0\t-0.1\tthe cat sat on a mat\n' > fairseq.txt
check 'what fairseq wrote' "$(value "$("$STRATA_RUN" --json evaluate --hypothesis near.txt --reference ref.txt)" systems 0 scores BLEU score)" \
  "$(value "$("$STRATA_RUN" --json evaluate --hypothesis fairseq.txt --reference ref.txt 2>said)" systems 0 scores BLEU score)"
holds 'what was recognised is said' 'fairseq.txt: read as fairseq-generate' "$(cat said)"

head -1 ref.txt > short.txt
message=$("$STRATA_RUN" evaluate --hypothesis same.txt --reference short.txt 2>&1)
check 'unequal files fail' 1 $?
holds 'unequal files are named' 'same.txt has 2 lines and short.txt has 1: line n of one belongs to line n of the other, and line 2 of same.txt has none' "$message"
message=$("$STRATA_RUN" evaluate --hypothesis same.txt --reference absent.txt 2>&1)
check 'an absent file fails' 1 $?
holds 'an absent file is named' 'absent.txt' "$message"
printf 'a\377b\nx\n' > bad.txt
message=$("$STRATA_RUN" evaluate --hypothesis bad.txt --reference ref.txt 2>&1)
check 'invalid UTF-8 fails' 1 $?
holds 'invalid UTF-8 is named' 'bad.txt' "$message"
: > empty.txt
"$STRATA_RUN" evaluate --hypothesis empty.txt --reference empty.txt > /dev/null 2>&1
check 'nothing to score fails' 1 $?
for wrong in '--metric rouge' '--tokenize 14a' '--order 0' '--smooth-value 1' '--significance bootstrap'; do
  # shellcheck disable=SC2086
  "$STRATA_RUN" evaluate --hypothesis same.txt --reference ref.txt $wrong > /dev/null 2>&1
  check "wrong usage: $wrong" 2 $?
done

# CR LF ends a line like LF; translations may all be empty; one sentence cannot be resampled.
sed 's/$/\r/' near.txt > crlf.txt
check 'CR LF' "$("$STRATA_RUN" evaluate --hypothesis near.txt --reference ref.txt | tail -1 | cut -d' ' -f2-)" \
  "$("$STRATA_RUN" evaluate --hypothesis crlf.txt --reference ref.txt | tail -1 | cut -d' ' -f2-)"
printf '\n\n' > silent.txt
json=$("$STRATA_RUN" --json evaluate --hypothesis silent.txt --reference ref.txt --metric bleu,chrf,ter)
check 'nothing said: BLEU' 0.0 "$(value "$json" systems 0 scores BLEU score)"
check 'nothing said: chrF' 0.0 "$(value "$json" systems 0 scores chrF2 score)"
check 'nothing said: TER' 100.0 "$(value "$json" systems 0 scores TER score)"
head -1 near.txt > one.txt; head -1 ref.txt > oneref.txt
"$STRATA_RUN" evaluate --hypothesis one.txt --reference oneref.txt > /dev/null
check 'one sentence has a score' 0 $?
for wrong in '--confidence' '--significance bootstrap' '--significance randomization'; do
  # shellcheck disable=SC2086
  message=$("$STRATA_RUN" evaluate --hypothesis one.txt one.txt --reference oneref.txt $wrong 2>&1)
  check "one sentence: $wrong" 2 $?
  holds 'and why' 'oneref.txt has only one sentence' "$message"
done

# Parts of the test set: buckets by length, and references in a vocabulary.
printf 'one two\na b c d e f g h i j k l\nnever seen\n' > lengths.txt
printf 'one two\na b c d e f g h i j k x\nnever heard\n' > shorter.txt
json=$("$STRATA_RUN" --json evaluate --hypothesis shorter.txt --reference lengths.txt --metric chrf --length-edges 5,20)
check 'a bucket' '0-4' "$(value "$json" buckets 0 buckets 0 bucket)"
check 'its sentences' 2 "$(value "$json" buckets 0 buckets 0 systems 0 sentences)"
check 'an empty bucket' None "$(value "$json" buckets 0 buckets 2 systems 0 score)"
sed -n '1p;3p' lengths.txt > short.ref; sed -n '1p;3p' shorter.txt > short.hyp
check 'a bucket is scored as a corpus' \
  "$(value "$("$STRATA_RUN" --json evaluate --hypothesis short.hyp --reference short.ref --metric chrf)" systems 0 scores chrF2 score)" \
  "$(value "$json" buckets 0 buckets 0 systems 0 score)"
holds 'buckets are printed' '66.7 %' \
  "$("$STRATA_RUN" evaluate --hypothesis shorter.txt --reference lengths.txt --metric chrf --length-edges 5,20)"
printf 'one 9\ntwo 8\nnever 7\nseen 6\n' > words.txt
json=$("$STRATA_RUN" --json evaluate --hypothesis shorter.txt --reference lengths.txt --metric chrf \
  --subset references-in-vocabulary --vocabulary words.txt)
check 'a subset' \
  "$(value "$("$STRATA_RUN" --json evaluate --hypothesis short.hyp --reference short.ref --metric chrf)" systems 0 scores chrF2 score)" \
  "$(value "$json" systems 0 scores chrF2 score)"
holds 'what is left' '2 of 3 sentences' "$(value "$json" subset text)"
"$STRATA_RUN" evaluate --hypothesis shorter.txt --reference lengths.txt --subset references-in-vocabulary > /dev/null 2>&1
check 'a subset needs a vocabulary' 2 $?
"$STRATA_RUN" evaluate --hypothesis shorter.txt --reference lengths.txt --length-edges 20,5 > /dev/null 2>&1
check 'edges ascend' no "$([ $? -eq 0 ] && echo yes || echo no)"

# Tokens against raw references are said, as sacreBLEU does, and identical systems do not differ.
for n in $(seq 100); do printf 'a house %s .\n' "$n"; done > tokens.txt
sed 's/ \.$/./' tokens.txt > raw.txt
said=$("$STRATA_RUN" evaluate --hypothesis tokens.txt --reference raw.txt 2>&1 >/dev/null)
holds 'tokens are said' "tokens.txt: 100 of 100 translations and 0 of their references end in a tokenized period (' .')" "$said"
check 'raw text is not' '' "$("$STRATA_RUN" evaluate --hypothesis raw.txt --reference raw.txt 2>&1 >/dev/null)"
check 'nor tokens of both' '' "$("$STRATA_RUN" evaluate --hypothesis tokens.txt --reference tokens.txt --metric multi-bleu 2>&1 >/dev/null)"
said=$("$STRATA_RUN" compare --reference raw.txt --system tokens=tokens.txt raw=raw.txt 2>&1)
holds 'compare says it' 'tokens: 100 of 100 translations' "$said"
printf 'the cat sat on the m@@ at\na b c d e\n' > units.txt
holds 'left subwords' 'units.txt: 1 translations contain subword marks' "$("$STRATA_RUN" evaluate --hypothesis units.txt --reference ref.txt 2>&1 >/dev/null)"
cp near.txt copy.txt
for test in bootstrap randomization; do
  json=$("$STRATA_RUN" --json evaluate --hypothesis near.txt copy.txt --reference ref.txt --metric bleu,chrf,ter --significance $test)
  check "p of a copy, $test" '1.0 1.0 1.0' "$(python3 -c 'import json, sys
print(*(row["p_value"] for row in json.loads(sys.argv[1])["significance"]))' "$json")"
done

# The same scores as the reference tools, through the program.
metrics=$STRATA_SOURCE/tests/references/metrics
check 'there are references' yes "$([ -d "$metrics" ] && echo yes)"
for metrics in "$metrics" "$STRATA_SHARED/fixtures/metrics"; do
  [ -d "$metrics" ] || continue
  json=$("$STRATA_RUN" --json evaluate --hypothesis "$metrics/de-en/sys.drop.txt" --reference "$metrics/de-en/ref.txt")
  check 'sacreBLEU' "$(python3 -c "import json; print(json.load(open('$metrics/de-en/scores.json'))['drop']['bleu']['default']['score'])" | cut -c1-14)" \
    "$(value "$json" systems 0 scores BLEU score | cut -c1-14)"
  json=$("$STRATA_RUN" --json evaluate --metric multi-bleu --hypothesis "$metrics/multi-ref-de-en/tok/sys.human.txt" \
    --reference "$metrics/multi-ref-de-en/tok/ref0.txt" "$metrics/multi-ref-de-en/tok/ref1.txt")
  check 'multi-bleu.perl' "$(python3 -c "import json; print(json.load(open('$metrics/multi-ref-de-en/multi-bleu.json'))['human']['cased'])")" \
    "$(value "$json" systems 0 scores multi-bleu line)"
done
[ $failed = 0 ] && echo 'evaluate holds'
exit $failed
