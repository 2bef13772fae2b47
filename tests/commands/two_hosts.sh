#!/usr/bin/env bash
# A workspace that two computers share: each has a name, processes and a clock of its own (namespaces, and a library that
# moves the time of day), so that neither can ask for the other's processes.
unshare -rup --fork --mount-proc true 2>/dev/null || { echo "no namespaces of names and processes here"; exit 77; }
set -eu
. "$(dirname "$0")/queue.bash"
trap 'kill -9 $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
there() { # COMMAND... &: on the other computer, whose clock is an hour behind
  exec unshare -rup --fork --kill-child --mount-proc sh -c 'hostname elsewhere; exec "$@"' sh \
    env LD_PRELOAD="$STRATA_CLOCK" CLOCK_OFFSET="${offset:--3600}" CLOCK_JUMP="${jump:-0}" CLOCK_AFTER=2 "$STRATA_RUN" --workspace "$folder/w" "$@"
}
run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1
endless="--set training.max_updates=0 --set training.max_epochs=0"
refused() { # WORDS VERB...: a status other than 0, and a message with these words
  local words=$1
  shift
  run "$@" >/dev/null 2>"$folder/err" && fail "$* is not refused"
  grep -q "$words" "$folder/err" || fail "$*: $(cat "$folder/err")"
}

# What trains there is seen here, left alone, and can be stopped.
there train --name far $quick $endless >/dev/null 2>"$folder/far.log" & far=$!
wait_for far running
refused "is being trained\|is trained\|in use" train --resume far --set training.max_updates=9
refused "is being trained" runs trash far
run workspace check >"$folder/check" || fail "check: $(cat "$folder/check")"
run runs stop far --wait 60 >/dev/null || fail "stop"
wait $far || fail "the run that was stopped: $(cat "$folder/far.log")"
same "the stopped run" "$(field far status)" stopped
same "the host" "$(run --json runs show far | python3 -c 'import json, sys; print(json.load(sys.stdin)["starts"][0]["host"])')" elsewhere

# What is killed there is noticed here, and goes on here.
there train --name lost $quick $endless >/dev/null 2>&1 & far=$!
wait_for lost running
kill -9 $far
wait $far 2>/dev/null || true
wait_for lost interrupted
step=$(field lost step)
run train --resume lost --set training.max_updates=$((step + 3)) >/dev/null 2>"$folder/err" || fail "resuming here: $(cat "$folder/err")"
same "the resumed run" "$(field lost step)" $((step + 3))

# Two queues: each run is trained once.
for name in one two three four; do run sweep --name $name $quick --set training.max_updates=3 >/dev/null; done
there work --once 2>"$folder/there.log" & far=$!
run work --once 2>"$folder/here.log" || fail "the worker here: $(cat "$folder/here.log")"
wait $far || fail "the worker there: $(cat "$folder/there.log")"
for name in one two three four; do
  wait_for $name.s1 finished
  same "starts of $name" "$(run --json runs show $name.s1 | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["starts"]))')" 1
done

# A clock that is set while a run trains changes neither its time nor whether it lives.
for jump in 86400 -86400; do
  there train --name "set$jump" $quick $endless >/dev/null 2>&1 & far=$!
  wait_for "set$jump" running
  sleep 4
  same "a run whose clock was set" "$(field "set$jump" status)" running
  run runs stop "set$jump" --wait 60 >/dev/null || fail "stop after a clock was set"
  wait $far || fail "the run whose clock was set"
  python3 -c 'import sys; sys.exit(not 0 < float(sys.argv[1]) < 600)' "$(field "set$jump" seconds)" || fail "it trained $(field "set$jump" seconds) s"
done
run workspace check >"$folder/check" || fail "check at the end: $(cat "$folder/check")"
