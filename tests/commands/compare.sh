#!/usr/bin/env bash
# Drives `strata-run compare` as a user does: scores by hand, files it writes, errors that name files, and the page's
# script where there is a JavaScript engine.
. "$(dirname "$0")/checks.bash"

printf 'the cat sat on the mat.\na b c d e\none two\nu v w x y z\n' > ref.txt
printf 'the cat sat on a mat .\na b c d f\none two\nu v w x\n' > near.txt
printf 'die Katze\na\nb\nc\n' > src.txt
printf 'the the cat\na b c d e\n' > train.txt
gzip -k train.txt
printf 'a 3\nb 2\nc 1\nd 1\ne 1\n' > vocabulary.txt

text=$("$STRATA_RUN" compare --reference ref.txt --system same=ref.txt near=near.txt --source src.txt --counts train.txt.gz \
  --vocabulary vocabulary.txt --html page.html --tsv sentences.tsv --latex scores.tex 2> log) || failed=1
for part in 'against the baseline' 'length ratio' 'Words of the reference: BLEU' 'Training frequency' 'outside the vocabulary' \
  'precision / recall' 'wrote page.html' 'wrote sentences.tsv' 'wrote scores.tex'; do
  holds 'tables for people' "$part" "$text"
done
check 'a line a sentence' 5 "$(wc -l < sentences.tsv)"
check 'cells of a sentence' 9 "$(awk -F '\t' 'NR == 2 { print NF }' sentences.tsv)"
holds 'a table for a paper' '\textbf{100.00}' "$(cat scores.tex)"
holds 'a page' '<h1>2 systems on ref.txt</h1>' "$(cat page.html)"

json=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt same=ref.txt --baseline same --html page.html) || failed=1
check 'the baseline' same "$(value "$json" baseline)"
check 'a perfect score' 100.0 "$(value "$json" systems 1 scores BLEU score | cut -c1-5)"
check 'counts by hand' '[16.0, 11.0, 6.0, 3.0]' "$(value "$json" systems 0 scores BLEU counts)"
check 'the other system' near "$(value "$json" significance 0 system)"
check 'a loss' - "$(value "$json" significance 0 difference | cut -c1)"
check 'sentences that are worse' 3 "$(value "$json" systems 0 sentences worse)"
check 'where the page is' page.html "$(value "$json" files html)"

json=$("$STRATA_RUN" --json compare --reference ref.txt --system a=near.txt b=near.txt --significance randomization --metric ter,bleu)
check 'equal systems' 0.0 "$(value "$json" significance 0 difference)"
check 'equal systems are not told apart' 1.0 "$(value "$json" significance 0 p_value)"
check 'the test' randomization "$(value "$json" significance 0 test)"

json=$("$STRATA_RUN" --json compare --reference ref.txt --system a=near.txt b=ref.txt --vocabulary vocabulary.txt \
  --subset references-in-vocabulary)
check 'a subset' 1 "$(value "$json" sentences)"
check 'one sentence has no interval' None "$(value "$json" significance 0 p_value)"

printf '\n\n\n\n' > silent.txt
json=$("$STRATA_RUN" --json compare --reference ref.txt --system a=silent.txt b=near.txt --metric bleu,ter)
check 'a silent system' 0.0 "$(value "$json" systems 0 scores BLEU score)"
check 'all is to be written' 100.0 "$(value "$json" systems 0 scores TER score)"

head -3 ref.txt > short.txt
message=$("$STRATA_RUN" compare --reference ref.txt --system a=near.txt b=short.txt 2>&1)
check 'unequal files fail' 1 $?
holds 'unequal files are named' 'short.txt has 3 lines and ref.txt has 4: line n of one belongs to line n of the other, and line 4 of ref.txt has none' "$message"
message=$("$STRATA_RUN" compare --reference short.txt --system a=near.txt b=short.txt 2>&1)
holds 'the longer file is named' 'line 4 of near.txt has none' "$message"
message=$("$STRATA_RUN" compare --reference ref.txt --system a=near.txt b=ref.txt --source short.txt 2>&1)
check 'a short source fails' 1 $?
: > empty.txt
message=$("$STRATA_RUN" compare --reference empty.txt --system a=empty.txt b=empty.txt 2>&1)
check 'nothing to compare fails' 1 $?
holds 'an empty file is named' 'empty.txt is empty' "$message"
for wrong in 'a=near.txt a=ref.txt' 'a=near.txt' 'near.txt ref.txt' '=near.txt b=ref.txt' 'a= b=ref.txt' \
  'a=near.txt b=ref.txt --baseline c' 'a=near.txt b=ref.txt --metric rouge' 'a=near.txt b=ref.txt --metric bleu,bleu' \
  'a=near.txt b=ref.txt --length-edges 20,10' 'a=near.txt b=ref.txt --subset references-in-vocabulary' \
  'a=near.txt b=ref.txt --significance t-test'; do
  # shellcheck disable=SC2086
  "$STRATA_RUN" compare --reference ref.txt --system $wrong > /dev/null 2>&1
  check "wrong usage: $wrong" 2 $?
done

# The page's script against the program's figures: corpus BLEU of all sentences and of a filter's, word differences,
# confirmed n-grams, order.
if command -v node > /dev/null; then
  for options in '' '--smooth floor' '--smooth add-k' '--smooth none' '--metric multi-bleu' '--tokenize char'; do
    # shellcheck disable=SC2086
    "$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt same=ref.txt silent=silent.txt --length-edges 3,6 \
      --html page.html $options > page.json || failed=1
    node - "$options" << 'SCRIPT' || failed=1
const fs = require('fs');
const page = fs.readFileSync('page.html', 'utf8');
const json = JSON.parse(fs.readFileSync('page.json', 'utf8'));
const data = JSON.parse(page.match(/<script type="application\/json" id="data">([^<]*)<\/script>/)[1]);
(0, eval)(page.match(/<script>([^]*?)<\/script>/)[1]);
const {bleuScore, bleuSums, matching, sorted, tokensOf, wordDiff, confirmedOrders} = globalThis.strataComparison;
let failed = false;
const check = (name, expected, actual) => {
  const same = typeof expected === 'number' ? Math.abs(expected - actual) <= 1e-9 * Math.max(1, expected)
      : JSON.stringify(expected) === JSON.stringify(actual);
  if (same) return;
  console.log('FAIL script', process.argv[2], name, expected, actual);
  failed = true;
};
const open = [-Infinity, Infinity];
const filter = {pattern: null, where: 'any', length: open, unknown: Infinity, column: {kind: 'line'}, range: open};
const scoreOf = (system, sentences) => bleuScore(data.bleu, bleuSums(data.bleu, system, sentences));
data.systems.forEach((name, s) => {
  check(name, json.systems[s].scores[data.bleu.name].score, scoreOf(s, matching(data, filter)));
  for (const [bucket, length] of [[0, [0, 2]], [1, [3, 5]], [2, [6, Infinity]]]) {
    const part = json.buckets[0].buckets[bucket].systems[s], found = matching(data, {...filter, length});
    check(name + ' sentences', part.sentences, found.length);
    check(name + ' bucket', part.score, scoreOf(s, found));
  }
});
check('pattern', [0], matching(data, {...filter, pattern: /MAT\./i, where: 'references'}));
check('pattern in a system', [3], matching(data, {...filter, pattern: /x$/, where: '0'}));
check('score', [2], matching(data, {...filter, pattern: /t/, column: {kind: 'difference', system: 1}, range: [-1, 0.001]}));
check('order', [0, 3, 1, 2], sorted(data, [0, 1, 2, 3], {kind: 'length'}, true));
const words = (text) => tokensOf(text, false);
check('word differences', '==-+=', wordDiff(words('a b c d'), words('a b x d')).join(''));
check('confirmed', [3, 3, 3, 0, 1], confirmedOrders(words('a b c q d'), [words('a b c d')]));
process.exit(failed ? 1 : 0);
SCRIPT
  done
else
  echo "node is not here: the page's script was not run"
fi
[ $failed = 0 ] && echo 'compare holds'
exit $failed
