#!/usr/bin/env bash
# Drives `strata-run compare` as a user does: hand-computed scores, output files, errors that name files, and the page's
# script if there is a JavaScript engine.
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
for wrong in 'a=near.txt a=ref.txt' 'near.txt ref.txt' '=near.txt b=ref.txt' 'a= b=ref.txt' \
  'a=near.txt b=ref.txt --baseline c' 'a=near.txt b=ref.txt --metric rouge' 'a=near.txt b=ref.txt --metric bleu,bleu' \
  'a=near.txt b=ref.txt --length-edges 20,10' 'a=near.txt b=ref.txt --subset references-in-vocabulary' \
  'a=near.txt b=ref.txt --significance t-test' '#1=near.txt b=ref.txt' 'a#=near.txt b=ref.txt' 'a=near.txt a#1=ref.txt' \
  'a=near.txt b=ref.txt --likelihoods c=near.txt' 'a=near.txt b=ref.txt --likelihoods a' 'a=near.txt b=ref.txt --nbest-size 3' \
  'a=near.txt b=ref.txt --length 5' 'a=near.txt b=ref.txt --length 5:2' 'a=near.txt b=ref.txt --length :' \
  'a=near.txt b=ref.txt --length a:9' 'a=near.txt b=ref.txt --filter-in source' 'a=near.txt b=ref.txt --filter a --filter-in nowhere' \
  'a=near.txt b=ref.txt --filter a --filter-in source' 'a=near.txt b=ref.txt --length-buckets 1'; do
  # shellcheck disable=SC2086
  "$STRATA_RUN" compare --reference ref.txt --system $wrong > /dev/null 2>&1
  check "wrong usage: $wrong" 2 $?
done

# Runs of one system: means, deviations, a direction only with three runs on both sides.
for run in 1 2 3; do runs="${runs-} base#$run=near.txt ours#$run=ref.txt"; done
# shellcheck disable=SC2086
json=$("$STRATA_RUN" --json compare --reference ref.txt --system $runs alone=near.txt --baseline ours --latex runs.tex) || failed=1
check 'a group names the baseline' 'ours#1' "$(value "$json" baseline)"
check 'runs of a group' "['base#1', 'base#2', 'base#3']" "$(value "$json" groups 0 runs)"
check 'equal runs do not deviate' 0.0 "$(value "$json" groups 0 scores BLEU std)"
check 'the mean of equal runs' "$(value "$json" systems 0 scores BLEU score | cut -c1-10)" \
  "$(value "$json" groups 0 scores BLEU mean | cut -c1-10)"
check 'a single run' 'too few seeds' "$(value "$json" groups 2 scores BLEU direction)"
holds 'runs in a table for a paper' 'base (3 runs)' "$(cat runs.tex)"
# shellcheck disable=SC2086
holds 'runs for people' 'BLEU of runs' "$("$STRATA_RUN" compare --reference ref.txt --system $runs)"

# Log-probabilities, as printed by strata-run score; additional columns are ignored.
printf -- '-6.5\t7\n-10\t6\n-4\t3\n-5.5\t7\n' > near.scores
printf -- '-9.5\t7\t-1 -2\n-8\t6\n-5\t3\n-5.5\t7\n' > other.scores
json=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt same=ref.txt \
  --likelihoods near=near.scores same=other.scores)
check 'nats a token by hand' 1.1304347826 "$(value "$json" likelihoods systems 0 nats | cut -c1-12)"  # 26 / 23
check 'a likelier sentence of four' 0.25 "$(value "$json" likelihoods systems 1 likelier)"
check 'a difference by hand' 0.0869565217 "$(value "$json" likelihoods systems 1 difference | cut -c1-12)"  # 2 / 23
likelihoods() { # FILE: the message where it is the other system's
  "$STRATA_RUN" compare --reference ref.txt --system near=near.txt same=ref.txt --likelihoods near=near.scores same="$1" 2>&1
}
head -3 near.scores > short.scores
holds 'a short file' 'short.scores has 3 lines and ref.txt has 4' "$(likelihoods short.scores)"
printf -- '-1\t2\nx\t2\n-1\t2\n-1\t2\n' > wrong.scores
holds 'what is not a number' "wrong.scores: line 2: 'x' is not a number" "$(likelihoods wrong.scores)"
printf -- '-1\t2\n-1\t2\n-1\n-1\t2\n' > wrong.scores
holds 'no tokens' "wrong.scores: line 3: '' is not a number" "$(likelihoods wrong.scores)"
printf -- '-1\t2\n-1\t2\n-1\t2\n-1\t0.5\n' > wrong.scores
holds 'parts of tokens' 'wrong.scores: line 4: 0.5 is not a number of tokens' "$(likelihoods wrong.scores)"
printf -- '1\t2\n-1\t2\n-1\t2\n-1\t2\n' > wrong.scores
holds 'no probability' 'wrong.scores: line 1: 1 is not a log-probability' "$(likelihoods wrong.scores)"

# N-best lists and decoder scores: from Marian and from plain files with two lines per sentence.
paste -d '\n' near.txt ref.txt > two.txt
awk '{ printf "%d ||| %s ||| F0= -1 ||| -%d.5\n", (NR - 1) / 2, $0, NR }' two.txt > marian.txt
json=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt marian=marian.txt plain=two.txt --nbest-size 2 2> log) || failed=1
for list in 0 1; do
  check 'candidates' 2.0 "$(value "$json" nbest $list mean_candidates)"
  check 'one list starts with the best' 0.25 "$(value "$json" nbest $list first_is_best)"
  check 'the first' "$(value "$json" systems 0 scores BLEU score)" "$(value "$json" nbest $list scores BLEU first)"
  check 'the best' 100.0 "$(value "$json" nbest $list scores BLEU oracle | cut -c1-5)"
done
check 'own scores' marian "$(value "$json" confidence 0 system)"
check 'sentences with scores' 4 "$(value "$json" confidence 0 sentences)"
# Lower Sockeye scores are better: the same ranks as with their negatives.
paste <(printf '0.4\n3.1\n0.2\n5.3\n') near.txt > sockeye.txt
awk -F '\t' '{ printf "H-%d\t-%s\t%s\n", NR - 1, $1, $2 }' sockeye.txt > fairseq.txt
json=$("$STRATA_RUN" --json compare --reference ref.txt --system sockeye=sockeye.txt fairseq=fairseq.txt 2> log) || failed=1
check 'signs of toolkits' "$(value "$json" confidence 0 pearson)" "$(value "$json" confidence 1 pearson)"
holds 'buckets by own scores' 'Score that sockeye gives' "$(value "$json" buckets)"

# Filters, subwords and buckets of equal counts.
json=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt same=ref.txt --metric bleu,ter --filter 'ON THE' --length 3: --length-buckets 2)
check 'sentences of a filter' 1 "$(value "$json" filtered sentences)"
check 'their share' 0.25 "$(value "$json" filtered share)"
check 'their score' 100.0 "$(value "$json" filtered scores BLEU 1 score | cut -c1-5)"
check 'one sentence has no test' None "$(value "$json" filtered scores TER 1 p_value)"
check 'what was asked' 'ON THE' "$(value "$json" filtered filter pattern)"
check 'equal counts' 'Words of the reference, equal counts' "$(value "$json" buckets 1 by)"
text=$("$STRATA_RUN" compare --reference ref.txt --system near=near.txt same=ref.txt --filter 'ON THE' --filter-case-sensitive)
holds 'a filter of nothing' 'No sentence is left' "$text"
text=$("$STRATA_RUN" compare --reference ref.txt --system near=near.txt same=ref.txt --source src.txt --filter '^[abc]$' --filter-in source)
holds 'a filter of the source' 'BLEU of 3 of 4 sentences (75.0 %)' "$text"
printf 'the c@@ at sat on the mat.\na b c d e\none tw@@ o\nu v w x y z\n' > bpe.txt
json=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt same=ref.txt --subword-reference bpe.txt)
check 'sentences with a split word' 2 "$(value "$json" buckets 3 buckets 1 systems 0 sentences)"
message=$("$STRATA_RUN" compare --reference ref.txt --system near=near.txt same=ref.txt --filter 'a(b' 2>&1)
check 'a wrong pattern is wrong usage' 2 $?
holds 'a wrong pattern is shown' "'a(b' is not a regular expression" "$message"

# Other file contents, for both verbs that score files.
printf 'ok\nb\377d\nx\ny\n' > bad.txt
sed 's/$/\r/' near.txt > crlf.txt
printf 'a b c d e\n' > one.txt
printf 'a b c d f\n' > other.txt
scores() { # VERB FILE: of the first system
  if [ "$1" = compare ]; then set -- compare --system "a=$2" b=ref.txt; else set -- evaluate --hypothesis "$2"; fi
  "$STRATA_RUN" --json "$@" --reference ref.txt --metric bleu,chrf,ter,multi-bleu 2>&1
}
figures() { value "$1" systems 0 scores | tr ',' '\n' | grep "'score'"; }
for verb in compare evaluate; do
  holds "$verb: damaged text" 'bad.txt: line 2, byte 1' "$(scores $verb bad.txt)"
  holds "$verb: an empty file" 'empty.txt: is empty' "$(scores $verb empty.txt)"
  holds "$verb: unequal files" 'short.txt has 3 lines and ref.txt has 4: line n of one belongs to line n of the other, and line 4 of ref.txt has none' \
    "$(scores $verb short.txt)"
  check "$verb: ends of lines" "$(figures "$(scores $verb near.txt)")" "$(figures "$(scores $verb crlf.txt | sed -n '/^{/,$p')")"
  json=$(scores $verb silent.txt)
  check "$verb: a silent system" '0.0 100.0' "$(value "$json" systems 0 scores BLEU score) $(value "$json" systems 0 scores TER score)"
done
text=$("$STRATA_RUN" compare --reference one.txt --system a=one.txt b=other.txt)
holds 'one sentence has no interval, which is said' 'One sentence: it cannot be resampled' "$text"
check 'and none is shown' 0 "$(printf '%s' "$text" | grep -c '95 % interval')"

# The page's script against the program's figures: corpus BLEU of all sentences and of a filter's, order. Every figure
# on twenty filters is compared in tests/report/test_comparison_script.cpp.
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
const {figuresOf, sorted} = globalThis.strataComparison;
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
const figures = (changes) => figuresOf(data, {...filter, ...changes});
data.systems.forEach((name, s) => {
  check(name, json.systems[s].scores[data.bleu.name].score, figures({}).scores[s]);
  for (const [bucket, length] of [[0, [0, 2]], [1, [3, 5]], [2, [6, Infinity]]]) {
    const part = json.buckets[0].buckets[bucket].systems[s], found = figures({length});
    check(name + ' sentences', part.sentences, found.sentences.length);
    check(name + ' bucket', part.score, found.scores[s]);
  }
});
check('pattern', [0], figures({pattern: /MAT\./i, where: 'references'}).sentences);
check('pattern in a system', [3], figures({pattern: /x$/, where: '0'}).sentences);
check('score', [2], figures({pattern: /t/, column: {kind: 'difference', system: 1}, range: [-1, 0.001]}).sentences);
check('order', [0, 3, 1, 2], sorted(data, [0, 1, 2, 3], {kind: 'length'}, true));
process.exit(failed ? 1 : 0);
SCRIPT
  done
else
  echo "node is not here (Debian: apt install nodejs): the page's script was not run"
  [ -z "${CI:-}" ] || failed=1
fi
[ $failed = 0 ] && echo 'compare holds'
exit $failed
