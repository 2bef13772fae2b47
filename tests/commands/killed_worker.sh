#!/usr/bin/env bash
# A worker is killed: the training that it began goes on, and counts for the worker that follows.
set -eu
. "$(dirname "$0")/queue.bash"
run data generate --name toy --size 600 --seed 3 >/dev/null 2>&1
run sweep --name long $quick --set training.max_updates=0 --set training.max_epochs=0 >/dev/null || fail "queueing"
run sweep --name short $quick --set training.max_updates=2 >/dev/null || fail "queueing"
long=long.s1 short=short.s1

"$STRATA_RUN" --workspace "$folder/w" work 2>/dev/null & worker=$!
wait_for $long running
kill -9 $worker
wait $worker 2>/dev/null || true
[ "$(field $long status)" = running ] || fail "the training ended with its worker"
before=$(field $long step)
"$STRATA_RUN" --workspace "$folder/w" work --once 2>"$folder/work.log" & worker=$!
for _ in $(seq 100); do [ "$(field $long step)" -gt $((before + 20)) ] && break; sleep 0.1; done
[ "$(field $long step)" -gt "$before" ] || fail "the training does not go on"
sleep 2  # four looks at the queue
same "the next run beside it" "$(field $short status)" queued
kill -0 $worker || fail "the next worker ended: $(cat "$folder/work.log")"
run runs stop $long --wait 60 >/dev/null || fail "stop"
wait $worker || fail "the next worker failed: $(cat "$folder/work.log")"
same "the next run after it" "$(field $short status)" finished
same "the first run" "$(field $long status)" stopped

# With a place for two the next one is trained beside it.
run runs resume $long >/dev/null
"$STRATA_RUN" --workspace "$folder/w" work 2>/dev/null & worker=$!
wait_for $long running
kill -9 $worker
run runs resume $short --updates 4 >/dev/null
"$STRATA_RUN" --workspace "$folder/w" work --jobs 2 2>"$folder/work.log" & worker=$!
wait_for $short finished
same "the first run" "$(field $long status)" running
kill -TERM $worker
wait $worker || true
run runs stop $long --wait 60 >/dev/null || fail "stop"
echo "a killed worker's training counts"
