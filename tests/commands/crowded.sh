#!/usr/bin/env bash
# Two processes in different namespaces compete for one run, stopped and taken over; then a bit of its log is flipped.
set -eu
. "$(dirname "$0")/queue.bash"
# Runs the program as in a container: with other process ids (--pid) and another host name (--uts), if allowed here.
elsewhere() {  # SPACES...: before the program's words, up to --
  local spaces=() name=:
  while [ "$1" != -- ]; do spaces+=("$1"); shift; done
  shift
  [[ "${spaces[*]}" != *--uts* ]] || name='echo elsewhere >/proc/sys/kernel/hostname'
  if unshare "${spaces[@]}" --fork true 2>/dev/null; then
    unshare "${spaces[@]}" --fork sh -c "$name; exec \"\$0\" \"\$@\"" "$STRATA_RUN" --workspace "$folder/w" "$@"
  else
    run "$@"
  fi
}
await() {  # FILE TEXT: at most a minute
  for _ in $(seq 600); do grep -q "$2" "$1" && return 0; sleep 0.1; done
  cat "$1" >&2; fail "waited in vain for '$2'"
}
refused() {  # WHAT SPACES...: a second process is refused, and the run is as it was
  local status=0
  elsewhere "${@:2}" -- train --resume a --set training.max_updates=99 >/dev/null 2>"$folder/err" || status=$?
  [ $status = 1 ] || { cat "$folder/err" >&2; fail "$1: status $status"; }
  cmp "$folder/config" "$place/config.effective.yaml" || fail "$1: the configuration of a running run was rewritten"
  grep -q "is trained by process $trainer" "$folder/err" || { cat "$folder/err" >&2; fail "$1: who trains it is not named"; }
  same "$1: status" "$(field a status)" running
  same "$1: starts" "$(run --json runs show a | grep -c '"from_step"')" 1
}

run data generate --name toy --size 1500 --seed 3 >/dev/null 2>&1
"$STRATA_RUN" --workspace "$folder/w" train --preset mlrf/base --data toy --name a --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=1 \
  --set model.decoder_layers=1 --set training.phases=[] --set training.schedule.name=inverse_sqrt --set training.schedule.warmup=20 \
  --set training.batch.unit=sentences --set training.batch.size=32 --set training.log_every=1 --set validation.monitor=[] \
  --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set checkpoint.every_updates=50 --set recording.sentences=0 \
  --set validation.samples=0 --set training.threads=1 --set training.device=cpu --set training.max_updates=1000000 \
  --set training.max_epochs=0 >/dev/null 2>"$folder/first.log" & trainer=$!
wait_for a running
await "$folder/first.log" checkpoint=
place=$(echo "$folder"/w/runs/1-a)
cp "$place/config.effective.yaml" "$folder/config"
refused "while it trains, in another PID namespace" --pid
refused "while it trains, on what looks like another host" --pid --uts

# Somebody who has a log's lock and does not go on, such as a stopped process that was writing, is named, and
# nobody waits for it for ever.
flock -x "$place/events.log" sleep 300 & holder=$!
for _ in $(seq 100); do flock -n "$place/events.log" true || break; sleep 0.1; done
owner=$(pgrep -P $holder sleep)
kill -STOP "$owner" $holder
status=0; timeout 120 "$STRATA_RUN" --workspace "$folder/w" runs note a seen >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 1 ] || { cat "$folder/err" >&2; fail "a note in a locked log: status $status"; }
grep -Eq "events.log is locked by process $holder, which is stopped: let it go on" "$folder/err" || { cat "$folder/err" >&2; fail "who has the lock is not named"; }
kill -9 "$owner" $holder; wait $holder 2>/dev/null || true
run runs note a seen >/dev/null || fail "a note after the lock"

# Stopped, and without a heartbeat for longer than any limit; not while it has its log's lock or is changing the index,
# which would keep others from both.
stop() {
  kill -STOP $trainer
  until grep -q '^State:.T' /proc/$trainer/status; do sleep 0.01; done
}
unlocked() {
  flock -n "$place/events.log" true && python3 - "$folder/w/workspace.db" 2>/dev/null <<'PYTHON'
import sqlite3, sys
sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None).execute("BEGIN IMMEDIATE").execute("ROLLBACK")
PYTHON
}
until stop; unlocked; do kill -CONT $trainer; sleep 0.05; done
python3 - "$folder/w/workspace.db" <<'PYTHON'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as index:
    assert index.execute("UPDATE processes SET heartbeat = heartbeat - 1000").rowcount == 1
PYTHON
[ ! -e "$place/train.lock" ] || touch -d '1 hour ago' "$place/train.lock"
refused "while it is stopped" --pid --uts

# Its lock is lost while it is stopped, as can happen on a file server, and another process takes the run. The first one
# continues, writes nothing more and says why.
cp "$place/train.lock" "$place/copy" && mv "$place/copy" "$place/train.lock"
"$STRATA_RUN" --workspace "$folder/w" train --resume a >/dev/null 2>"$folder/second.log" & second=$!
await "$folder/second.log" parameters=
kill -CONT $trainer
status=0; wait $trainer || status=$?
[ $status = 1 ] || { cat "$folder/first.log" >&2; fail "the first process ended with $status"; }
grep -q "process $second on .* has taken over the run" "$folder/first.log" || { tail "$folder/first.log" >&2; fail "the loss is not explained"; }
same "after the loss" "$(field a status)" running
await "$folder/second.log" checkpoint=
kill -TERM $second
status=0; wait $second || status=$?
[ $status = 143 ] || { cat "$folder/second.log" >&2; fail "the second process ended with $status"; }
same "at the end" "$(field a status)" stopped
run workspace check | grep -q "all is well" || fail "check"
run runs export a --output "$folder/before.csv"

# One bit in the length of the first scalars (of steps that the second process did not repeat): what repair cannot read
# is kept and reported, the rest is complete.
cp "$place/events.log" "$folder/whole.log"
python3 - "$place/events.log" >"$folder/hit" <<'PYTHON'
import struct, sys
log = bytearray(open(sys.argv[1], "rb").read())
records, at = [], 16
while at < len(log):
    length, kind = struct.unpack_from("<II", log, at)
    records.append((at, kind))
    at += 16 + length
scalars = [begin for begin, kind in records if kind == 2]
hit = scalars[0]
log[hit + 3] ^= 2  # 32 MiB longer: it reaches beyond the log's end
open(sys.argv[1], "wb").write(log)
print(hit)
PYTHON
cp "$place/events.log" "$folder/damaged.log"
status=0; run workspace repair >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 1 ] || fail "repair of a damaged log: status $status"
grep -q "events.log.kept-$(cat "$folder/hit")" "$folder/out" || { cat "$folder/out" >&2; fail "what was kept is not named"; }
[ -s "$place/events.log.kept-$(cat "$folder/hit")" ] || fail "nothing was kept"
cmp "$place/events.log" "$folder/damaged.log" || fail "repair wrote into a log"
run runs export a --output "$folder/after.csv"
python3 - "$folder" <<'PYTHON'
import sys
before, after = (open(f"{sys.argv[1]}/{name}.csv").read().splitlines() for name in ("before", "after"))
lost = set(before) - set(after)
assert set(after) <= set(before), "repair made values up"
steps = {int(line.split(",")[1]) for line in lost}
assert 0 < len(lost) < len(before) / 2, (len(lost), len(before))
assert steps == set(range(min(steps), max(steps) + 1)), "more than one record was lost"
PYTHON
# With the bit restored, nothing is lost at all.
cp "$folder/whole.log" "$place/events.log"
run workspace repair >/dev/null || fail "repair of a whole log"
run runs export a --output "$folder/after.csv"
cmp "$folder/before.csv" "$folder/after.csv" || fail "the rebuilt index differs"
echo "a crowded workspace loses nothing"
