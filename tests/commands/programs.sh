#!/usr/bin/env bash
# The two command-line programs: strata-run starts without libtorch and executes strata-engine for verbs that need it.
. "${STRATA_SOURCE:-.}/tests/commands/checks.bash"
folder=$(dirname "$STRATA_RUN")

case "$(ldd "$STRATA_RUN")" in *libtorch*) echo "FAIL strata-run loads libtorch"; failed=1 ;; esac
holds "strata-engine stands on libtorch" libtorch "$(ldd "$folder/strata-engine")"

help=$("$STRATA_RUN" --help)
for verb in evaluate compare runs train translate serve; do holds "all verbs in one help" "  $verb " "$help"; done
check "both call themselves by one name" "Usage: strata-run" "$(head -2 <<<"$help" | grep -o 'Usage: strata-run')"

# Options before the verb, one of them with a verb's name as its value.
"$STRATA_RUN" --workspace evaluate --log-level off train --preset nobody/knows --data none 2> error
check "the engine's status" 2 $?
holds "the engine's message" "strata-run: " "$(cat error)"
"$STRATA_RUN" --workspace=here nothing 2> error
check "an unknown verb" 2 $?

# Without the engine, verbs without a model work and the others say what is missing.
mkdir alone && cp "$STRATA_RUN" alone/
echo "a small house" > line
check "scoring without the engine" 100.0 "$(alone/strata-run evaluate --hypothesis line --reference line --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["systems"][0]["scores"]["BLEU"]["precisions"][0])')"
alone/strata-run inspect 2> error
check "no engine" 1 $?
holds "which program is missing" "$work/alone/strata-engine" "$(cat error)"

# How long the engine's threads look for each other before they sleep; the user's own setting counts.
printf '#!/bin/sh\necho "${GOMP_SPINCOUNT:-none}"\n' > alone/strata-engine && chmod +x alone/strata-engine
check "short waits" 4000 "$(env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY alone/strata-run bench)"
check "the user's count" 77 "$(GOMP_SPINCOUNT=77 alone/strata-run bench)"
check "the user's policy" none "$(env -u GOMP_SPINCOUNT OMP_WAIT_POLICY=active alone/strata-run bench)"

[ $failed = 0 ] && echo "the two headless programs hold"
exit $failed
