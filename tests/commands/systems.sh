#!/usr/bin/env bash
# Drives `strata-run systems` as a user does: imports test sets and toolkits' outputs, lists and scores them, and moves
# them to the trash; bad input leaves the workspace unchanged.
. "$(dirname "$0")/checks.bash"
in_workspace

holds 'nothing yet' 'no systems in' "$(run systems list)"
holds 'no sets yet' 'no test sets in' "$(run systems sets)"

printf 'the cat sat on the mat.\na b c d e\none two\nu v w x y z\n' > ref.txt
printf 'die Katze\na\nb\nc\n' > src.txt
printf 'the cat sat on a mat .\na b c d f\none two\nu v w x\n' > near.txt
holds 'a test set' 'news: 4 sentences, 1 references' \
  "$(run systems import-set --name news --reference ref.txt --source src.txt --source-language de --target-language en)"
run systems import-set --name words --reference ref.txt ref.txt --tokens > /dev/null || failed=1
rm src.txt # it is in the workspace now
sets=$(run systems sets)
holds 'sets are listed' 'news      de to en           4           1  raw' "$sets"
holds 'sets of tokens' '4           2  tokens' "$sets"

holds 'plain text' 'near: 4 translations of news, read as plain' "$(run systems import near.txt --name near --set news)"
printf '1 ||| a b c d e ||| F0= 1 ||| -0.5\n0 ||| the cat sat on the mat. ||| F0= 1 ||| -1\n3 ||| u v w x y z ||| F0= 1 ||| -1\n2 ||| one two ||| F0= 1 ||| -1\n2 ||| one ||| F0= 1 ||| -2\n' > marian.nbest
holds 'an n-best list' 'read as marian-nbest, with scores, with n-best lists' \
  "$(run systems import marian.nbest --name marian --set news)"
run systems import near.txt --name tokens --set words --tokens > /dev/null || failed=1
printf '\r\n\r\n\r\n\r\n' > silent.txt
json=$(run --json systems import silent.txt --name silent --set news)
holds 'a silent system warns' 'every translation is empty' "$(value "$json" warnings 1)"

json=$(run --json systems list --set news --scores)
check 'three systems' 3 "$(python3 -c 'import json, sys; print(len(json.loads(sys.argv[1])["systems"]))' "$json")"
check 'by name' marian "$(value "$json" systems 0 name)"
check 'a perfect score' 100.0 "$(value "$json" systems 0 scores BLEU score | cut -c1-5)"
check 'no edits' 0.0 "$(value "$json" systems 0 scores TER score)"
check 'own scores' True "$(value "$json" systems 0 own_scores)"
check 'a silent system' 0.0 "$(value "$json" systems 2 scores chrF2 score)"
for metric in bleu chrf ter; do
  direct=$("$STRATA_RUN" --json evaluate --hypothesis near.txt --reference ref.txt --metric $metric)
  name=$(python3 -c 'import json, sys; print(*json.loads(sys.argv[1])["systems"][0]["scores"])' "$direct")
  check "$name is that of evaluate" "$(value "$direct" systems 0 scores "$name" score)" "$(value "$json" systems 1 scores "$name" score)"
done
json2=$(run --json systems list --set words --scores)
direct=$("$STRATA_RUN" --json evaluate --hypothesis near.txt --reference ref.txt ref.txt --metric multi-bleu)
check 'tokens have multi-bleu' "$(value "$direct" systems 0 scores multi-bleu score)" "$(value "$json2" systems 0 scores multi-bleu score)"
check 'scores from the cache' "$json" "$(run --json systems list --set news --scores)"

# Compared in the workspace, together with a file.
stored=$(run --json compare --set news --system near marian file=near.txt --metric bleu,ter)
files=$("$STRATA_RUN" --json compare --reference ref.txt --system near=near.txt marian=ref.txt file=near.txt --metric bleu,ter)
for system in 0 1 2; do
  check 'a stored comparison' "$(value "$files" systems $system scores)" "$(value "$stored" systems $system scores)"
done
check 'all systems of a set' 3 "$(run --json compare --set news | python3 -c 'import json, sys
print(len(json.load(sys.stdin)["systems"]))')"
refused 2 "no system 'nera'" compare --set news --system nera marian
refused 2 "no test set 'nwes'" compare --set nwes
refused 2 'excludes' compare --set news --reference ref.txt
refused 2 'needs --reference' compare --system near=near.txt file=near.txt
rm -r "$STRATA_WORKSPACE/cache"
check 'scores without the cache' "$json" "$(run --json systems list --set news --scores)"
holds 'a table' 'silent.txt, plain' "$(run systems list)"

before=$(find "$STRATA_WORKSPACE"/systems "$STRATA_WORKSPACE"/testsets -type f -exec sha256sum {} + | sort)
head -3 near.txt > short.txt
refused 1 "short.txt has 3 lines and $STRATA_WORKSPACE/testsets/news/raw.target has 4" systems import short.txt --name short --set news
refused 1 'line 4 of' systems import short.txt --name short --set news
printf 'a\nb\nc\xe4\nd\n' > latin.txt
refused 1 'latin.txt: line 3, byte 1' systems import latin.txt --name latin --set news
: > empty.txt
refused 1 'empty.txt: is empty' systems import empty.txt --name empty --set news
refused 1 'absent.txt' systems import absent.txt --name absent --set news
refused 2 "there is already a system 'near'" systems import near.txt --name near --set news
refused 2 "there is already a test set 'news'" systems import-set --name news --reference ref.txt
refused 2 'cannot name a system' systems import near.txt --name ../x --set news
refused 2 'cannot name a test set' systems import-set --name ../x --reference ref.txt
refused 2 "no test set 'nwes'" systems import near.txt --name other --set nwes
refused 2 'give the system' systems import near.txt --name other --set words
refused 2 '--format' systems import near.txt --name other --set news --format moses
refused 1 'short.txt has 3 lines' systems import-set --name other --reference ref.txt short.txt
refused 2 "no system 'other'; there are: marian, near, silent, tokens" systems trash other
refused 2 'subcommand' systems
check 'nothing was harmed' "$before" "$(find "$STRATA_WORKSPACE"/systems "$STRATA_WORKSPACE"/testsets -type f -exec sha256sum {} + | sort)"

printf 'THE CAT SAT ON A MAT .\na b c d f\none two\nu v w x\n' > "$STRATA_WORKSPACE/systems/near/output.txt"
json=$(run --json systems list --set news --scores)
check 'a changed text is left out' 'marian silent' "$(python3 -c 'import json, sys
print(*(system["name"] for system in json.loads(sys.argv[1])["systems"]))' "$json")"
holds 'and told of' 'near/output.txt: its content has changed' "$(value "$json" problems 0)"
run systems trash near > /dev/null || failed=1
check 'it is in the trash' yes "$([ -f "$STRATA_WORKSPACE/trash/systems-near/system.json" ] && echo yes)"
holds 'its name is free' 'near: 4 translations' "$(run systems import near.txt --name near --set news)"
[ $failed = 0 ] && echo 'systems hold'
exit $failed
