#!/usr/bin/env bash
# Drives `strata-run systems scores` as a user does: imports scores that other programs made, compares systems under them,
# and removes and restores them and systems.
. "$(dirname "$0")/checks.bash"
in_workspace

printf 'the cat sat on the mat.\na b c d e\none two\nu v w x y z\n' > ref.txt
printf 'die Katze\na\nb\nc\n' > src.txt
printf 'the cat sat on a mat .\na b c d f\none two\nu v w x\n' > near.txt
run systems import-set --name news --reference ref.txt --source src.txt > /dev/null || failed=1
run systems import near.txt --name near --set news > /dev/null || failed=1
run systems import ref.txt --name same --set news > /dev/null || failed=1
holds 'nothing yet' 'no imported scores' "$(run systems scores list)"

cat > comet.json << 'END'
{"out/near.txt": [{"src": "die Katze", "mt": " the cat sat on a mat .", "ref": "the cat sat on the mat.", "COMET": 0.8125},
 {"src": "a", "mt": "a b c d f", "ref": "a b c d e", "COMET": 0.5},
 {"src": "b", "mt": "one two", "ref": "one two", "COMET": NaN},
 {"src": "c", "mt": "u v w x", "ref": "u v w x y z", "COMET": 0.25}]}
END
holds 'a dry run' 'read as comet-score; higher is better; scale 0-1' \
  "$(run systems scores import comet.json --set news --model Unbabel/wmt22-comet-da --dry-run)"
json=$(run --json systems scores import comet.json --set news --model Unbabel/wmt22-comet-da)
check 'it is of near' near "$(value "$json" systems 0 system)"
check 'one is missing' 1 "$(value "$json" systems 0 missing)"
check 'the mean of the others' "$(python3 -c 'print((0.8125 + 0.5 + 0.25) / 3)')" "$(value "$json" systems 0 mean)"
printf 'same\t0.9\nsame\t0.8\nsame 1.0\nsame\t0.95\nnear 0.1\nnear None\nnear 0.2\nnear 0.4\n' > news-refA.seg.score
json=$(run --json systems scores import news-refA.seg.score --set news --metric Human --scale 0-1)
check 'two systems' 'same near' "$(python3 -c 'import json, sys
print(*(each["system"] for each in json.loads(sys.argv[1])["systems"]))' "$json")"
printf 'text\terrors\tseconds\nthe cat sat on a mat .\t3\t9\na b c d f\t1\t9\none two\t0\t9\nu v w x\t2.5\t9\n' > people.tsv
run systems scores import people.tsv --set news --system near --score-column errors --text-column text --metric Errors \
  --lower-is-better > /dev/null || failed=1
holds 'a table of them' 'Errors' "$(run systems scores list --set news)"
holds 'lower is better' 'lower' "$(run systems scores list | grep Errors)"

json=$(run --json compare --set news --system same near --metric bleu,human,comet,errors --baseline near \
  --html page.html --tsv sentences.tsv --latex scores.tex)
check 'a mean' "$(python3 -c 'print((0.9 + 0.8 + 1.0 + 0.95) / 4)' | cut -c1-12)" "$(value "$json" systems 0 scores Human score | cut -c1-12)"
check 'a missing system' None "$(value "$json" systems 0 scores 'COMET Unbabel/wmt22-comet-da' score)"
check 'another system' "$(python3 -c 'print((0.8125 + 0.5 + 0.25) / 3)' | cut -c1-12)" \
  "$(value "$json" systems 1 scores 'COMET Unbabel/wmt22-comet-da' score | cut -c1-12)"
check 'missing values' 1 "$(value "$json" systems 1 scores Human missing)"
check 'worth of BLEU' BLEU "$(value "$json" significance 0 worth metric)"
check 'who is preferred' same "$(value "$json" significance 0 worth preferred)"
check 'no worth of an unknown metric' None "$(value "$json" significance 1 worth)"
holds 'a column for each' 'near Errors' "$(head -1 sentences.tsv)"
holds 'a page' 'worth to people' "$(cat page.html)"
holds 'a table for a paper' 'Human' "$(cat scores.tex)"
text=$(run compare --set news --system near --metric human)
holds 'one system alone' '95 % interval' "$text"
check 'is compared with none' '' "$(printf '%s' "$text" | grep difference)"
holds 'another test' '(10000 trials' "$(run compare --set news --metric human --significance randomization)"

# Row numbers are no scores, and they order the rows; what comet-score prints.
printf 'id\tscore\n0\t0,9\n1\t0,8\n2\t0,7\n3\t0,6\n' > comma.tsv
refused 1 "comma.tsv: line 2: '0,9' is not a score" systems scores import comma.tsv --system near --set news
printf 'id\tscore\n0\t0.9\n1\terror\n2\t0.7\n3\t0.6\n' > err.tsv
refused 1 "err.tsv: line 3: 'error' is not a score" systems scores import err.tsv --system near --set news
printf 'id\tscore\n3\t0.6\n0\t0.9\n2\t0.7\n1\t0.8\n' > order.tsv
json=$(run --json systems scores import order.tsv --system near --set news --dry-run)
holds 'ordered by ids' "ordered by column 'id'" "$(value "$json" warnings 0)"
check 'or not' '[]' "$(value "$(run --json systems scores import order.tsv --system near --set news --id-column none --dry-run)" warnings)"
for n in 0 1 2 3; do printf 'near.txt\tSegment %s\tscore: 0.5000\n' $n; done > stdout.txt
printf 'near.txt\tscore: 0.5000\n' >> stdout.txt
holds "COMET's output" 'read as comet-output' "$(run systems scores import stdout.txt --system near --set news --dry-run)"
tail -1 stdout.txt > only.txt
refused 1 'without --only_system' systems scores import only.txt --system near --set news

before=$(find "$STRATA_WORKSPACE"/systems -type f -exec sha256sum {} + | sort)
sed 's/a b c d f/a b c d g/' comet.json > other.json
refused 1 "line 2 differs: the file has 'a b c d g', the workspace 'a b c d f'" systems scores import other.json --set news --system near --model b
refused 1 "'out/near.txt' is not of near: line 2 differs" systems scores import other.json --set news --model b
sed 's/near.txt/far.txt/' other.json > far.json
refused 2 'name the system by --system' systems scores import far.json --set news --model b
refused 2 'already: remove them first' systems scores import comet.json --set news --model Unbabel/wmt22-comet-da
refused 2 'a metric that Strata computes' systems scores import comet.json --set news --metric bleu
refused 2 "unknown metric 'bleurt'" compare --set news --metric bleurt
refused 2 "has no system 'x'; it has out/near.txt" systems scores import comet.json --set news --system near --of x
head -c 150 comet.json > cut.json
refused 1 'not valid JSON' systems scores import cut.json --set news
printf 'near\t1\nnear\t\xe4\n' > latin.seg.score
refused 1 'latin.seg.score: line 2' systems scores import latin.seg.score --set news
python3 -c 'print("[" * 100000)' > deep.json
refused 1 'nested too deeply' systems scores import deep.json --set news
python3 -c 'print("{\"a\": [" + "1," * 40000000 + "1]}")' > huge.json
refused 1 'huge.json' systems scores import huge.json --set news
check 'nothing was harmed' "$before" "$(find "$STRATA_WORKSPACE"/systems -type f -exec sha256sum {} + | sort)"

id=$(value "$(run --json systems scores trash near --metric errors)" id)
check 'they are gone' '' "$(run systems scores list | grep Errors)"
holds 'and back' 'the Errors scores of near are restored' "$(run systems scores restore "$id")"
run systems trash near > /dev/null || failed=1
holds 'a system in the trash' 'systems-near' "$(run systems list --trash)"
holds 'is restored' 'near is restored' "$(run systems restore near)"
check 'with its scores' 3 "$(run systems scores list | grep -c near)"
check 'byte for byte' "$before" "$(find "$STRATA_WORKSPACE"/systems -type f -exec sha256sum {} + | sort)"
refused 2 "no system 'near' in the trash" systems restore near
[ $failed = 0 ] && echo 'scores hold'
exit $failed
