#!/usr/bin/env bash
# Drives `strata-run align` as a user does: hand-computed scores, gold files in several formats, errors that name files.
. "$(dirname "$0")/checks.bash"

figure() { python3 -c 'import json, sys; print(round(json.loads(sys.argv[1])["systems"][0][sys.argv[2]], 6))' "$@"; }

# Sure 0-0, 1-1; possible 1-2 too. The system has 0-0, 1-2, 2-2: |A| = 3, |A n S| = 1, |A n P| = 2.
printf '0-0 1-1 1?2\n' > gold.txt
printf '0-0 1-2 2-2\n' > system.txt
json=$("$STRATA_RUN" --json align --hypothesis system.txt --gold gold.txt)
check 'precision by hand' 0.666667 "$(figure "$json" precision)"
check 'recall by hand' 0.5 "$(figure "$json" recall)"
check 'error rate by hand' 0.4 "$(figure "$json" aer)"

printf '0-0 1-1\n' > sure.txt
printf '0-0 1-1 1-2\n' > possible.txt
check 'gold in two files' 0.4 "$(figure "$("$STRATA_RUN" --json align --hypothesis system.txt --gold sure.txt --possible possible.txt)" aer)"
printf '1 1 1 S\n1 2 2 S\n1 2 3 P\n' > naacl.txt
check 'gold of NAACL' 0.4 "$(figure "$("$STRATA_RUN" --json align --hypothesis system.txt --gold naacl.txt --format naacl)" aer)"
holds 'a table for people' 'system.txt' "$("$STRATA_RUN" align --hypothesis system.txt --gold gold.txt)"

printf 'a b\n' > source.txt
printf 'x y z\n' > target.txt
holds 'a link outside is named' '2-2' "$("$STRATA_RUN" align --hypothesis system.txt --gold gold.txt --source source.txt --target target.txt 2>&1 >/dev/null)"
printf '0-0\n0-0\n' > long.txt
message=$("$STRATA_RUN" align --hypothesis long.txt --gold gold.txt 2>&1)
check 'unequal files fail' 1 $?
holds 'unequal files are named' 'long.txt has 2 sentences and gold.txt has 1' "$message"
printf '0-x\n' > bad.txt
message=$("$STRATA_RUN" align --hypothesis bad.txt --gold gold.txt 2>&1)
check 'no link fails' 1 $?
holds 'no link is named' "bad.txt:1: '0-x'" "$message"

# Words counted from 1: 1-1 is sure, 2p2 possible. The system has both, so |A| = 2, |A n S| = 1, |A n P| = 2: 1 - 3/3.
printf '1-1 2p2\n' > gold.talp
printf '0-0 1-1\n' > zero.txt
message=$("$STRATA_RUN" align --hypothesis zero.txt --gold gold.talp 2>&1 >/dev/null)
holds 'counting from 1 is said' 'gold.talp: no link has a 0: if its words are counted from 1, give --from-one' "$message"
json=$("$STRATA_RUN" --json align --hypothesis zero.txt --gold gold.talp --from-one 2>said)
check 'counted from 1' 0.0 "$(figure "$json" aer)"
check 'and nothing is said' '' "$(cat said)"
gzip -k gold.talp
check 'compressed' 0.0 "$(figure "$("$STRATA_RUN" --json align --hypothesis zero.txt --gold gold.talp.gz --from-one)" aer)"
printf '1-1 2-2\n' > one.txt
holds 'a system that counts from 1' 'give --hypothesis-from-one' "$("$STRATA_RUN" align --hypothesis one.txt --gold zero.txt 2>&1 >/dev/null)"
check 'is read as that' 0.0 "$(figure "$("$STRATA_RUN" --json align --hypothesis one.txt --gold zero.txt --hypothesis-from-one)" aer)"
message=$("$STRATA_RUN" align --hypothesis zero.txt --gold zero.txt --from-one 2>&1)
check 'a 0 is no word then' 1 $?
holds 'and is named' "zero.txt:1: '0-0' has a word 0" "$message"
printf '0 0 0 S\n' > zero.naacl
message=$("$STRATA_RUN" align --hypothesis zero.txt --gold zero.naacl --format naacl 2>&1)
check 'a NAACL file from 0 fails' 1 $?
holds 'a NAACL file from 0 is named' 'this one seems to count from 0' "$message"

gold=$STRATA_SOURCE/tests/references/align
check 'there are references' yes "$([ -d "$gold" ] && echo yes)"
for gold in "$gold" "$STRATA_SHARED/fixtures/align"; do
  [ -d "$gold" ] || continue
  json=$("$STRATA_RUN" --json align --hypothesis "$gold/hyp.noisy.txt" --gold "$gold/gold.mixed.txt" 2>/dev/null)
  check 'the reference figure' \
    "$(python3 -c 'import json, sys; print(round(json.load(open(sys.argv[1]))["noisy"]["sure-and-possible"]["aer"], 6))' "$gold/aer.json")" \
    "$(figure "$json" aer)"
done
[ $failed = 0 ] && echo 'align holds'
exit $failed
