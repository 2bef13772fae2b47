#!/usr/bin/env bash
# User mistakes caught before anything runs: launchers that start many copies, options that take one value, files that are
# not configurations; and that a verb does what was requested, exactly once.
set -u
. "$(dirname "$0")/queue.bash"
refused() { # WHAT PATTERN COMMAND...: a usage error that matches
  local what=$1 pattern=$2 status=0; shift 2
  "$@" >"$folder/out" 2>"$folder/error" || status=$?
  [ $status = 2 ] && grep -qE -- "$pattern" "$folder/error" || fail "$what: status $status, $(cat "$folder/error")"
}
run data generate --name toy --size 300 --seed 3 >/dev/null 2>&1 || fail "data generate"
small="--preset mlrf/base --data toy --set model.embed_dim=32 --set model.ffn_dim=32 --set model.encoder_layers=1
  --set model.decoder_layers=1 --set training.batch.unit=sentences --set training.batch.size=32 --set training.max_updates=3
  --set training.phases=[] --set validation.monitor=[] --set validation.every_epochs=0 --set recording.sentences=0 --set validation.samples=0
  --set training.threads=1 --set training.device=cpu"

# 1. Several copies, of which none knows its place, are refused, naming the variable; a single one is not, nor an allocation
# of many tasks.
for several in WORLD_SIZE=2 SLURM_STEP_NUM_TASKS=4 OMPI_COMM_WORLD_SIZE=2 PMI_SIZE=8; do
  refused "$several" "${several%=*} is ${several#*=}: .*srun" env "$several" "$STRATA_RUN" --workspace "$folder/w" train $small --name many
done
[ -z "$(ls "$folder/w/runs" 2>/dev/null)" ] || fail "a refused copy has made a run"
for one in "WORLD_SIZE=1 RANK=0" "SLURM_NTASKS=4 SLURM_NPROCS=4 SLURM_PROCID=0" "SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0" \
  "SLURM_NTASKS=1 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 SLURM_STEP_ID=0"; do
  env $one "$STRATA_RUN" --workspace "$folder/w" train $small --name "${one%%=*}-${#one}" >/dev/null 2>"$folder/error" ||
    { cat "$folder/error" >&2; fail "$one"; }
done

# 2. An option with one value rejects a second one, and says how to give more.
refused "two runs behind one --run" "--run takes one value and may repeat: --run A --run B" "$STRATA_RUN" translate --run a b
refused "a word behind --beam" "--beam takes one value" "$STRATA_RUN" translate --run a --beam 3 4
"$STRATA_RUN" translate --help | grep -q -- "--run TEXT, may repeat" || fail "the help of --run"
printf 'preset: mlrf/base\ntraining:\n  max_updates: 7\n' >"$folder/spec.yaml"
run train --dry-run --set training.seed_is_no_key=1 "$folder/spec.yaml" 2>&1 | grep -q "training.seed_is_no_key" || fail "--set before a file"
run train --dry-run --set seed=5 "$folder/spec.yaml" >"$folder/out" 2>&1 || { cat "$folder/out" >&2; fail "--set takes the file behind its value"; }
grep -q '^seed: 5$' "$folder/out" && grep -q 'max_updates: 7' "$folder/out" || fail "--set and a file together"

# 3. Configurations that crash YAML parsers are refused quickly and within 2 GB.
limit='ulimit -v 4000000; '
bash -c "$limit"'exec "$0" train --help' "$STRATA_RUN" >/dev/null 2>&1 || limit= # AddressSanitizer reserves more
hostile() { # NAME PATTERN
  refused "$1" "$2" bash -c "$limit"'exec timeout 20 "$0" --workspace "$1" train --dry-run "$2"' "$STRATA_RUN" "$folder/w" "$folder/$1.yaml"
}
printf , >"$folder/comma.yaml"
hostile comma "second YAML document"
{ echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
  for i in 1 2 3 4 5 6 7 8 9; do b=$((i - 1)); echo "a$i: &a$i [*a$b, *a$b, *a$b, *a$b, *a$b, *a$b, *a$b, *a$b]"; done; } >"$folder/aliases.yaml"
hostile aliases "aliases.yaml:2: aliases are not accepted"
head -c 9000000 /dev/zero | tr '\0' '#' >"$folder/long.yaml"
hostile long "long.yaml: is larger than the limit of 8388608 bytes"

# 4. bench --steps measures steps and nothing else.
bench() {
  "$STRATA_RUN" bench --preset mlrf/base --set model.embed_dim=32 --set model.ffn_dim=32 --set model.encoder_layers=1 \
    --set model.decoder_layers=1 --steps 2 --tokens 4 --runs 1 --threads 1 >"$folder/bench.json" 2>/dev/null || fail "bench"
}
bench
same "parts of bench --steps" "$(at "$folder/bench.json" 'sorted(d) + sorted(d["models"][0])')" \
  "['data', 'mkl_fast', 'models', 'threads', 'all_positions_at_once', 'device', 'parameters', 'preset']"
same "kernels of the matrix library" "$(at "$folder/bench.json" 'd["mkl_fast"]')" True
STRATA_MKL_FAST=0 bench
same "kernels of the matrix library, left to it" "$(at "$folder/bench.json" 'd["mkl_fast"]')" False

# 5. A starting point is checked once and read once.
model=$(ls -d "$folder"/w/runs/*/checkpoints/step-00000003 | head -n 1)/model.safetensors
python3 - "$model" "$folder/opens" <<'PYTHON' &
import ctypes, os, select, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_CLOEXEC)
IN_CLOSE_NOWRITE, IN_OPEN = 0x10, 0x20  # closing, too: equal events that follow each other become one
assert libc.inotify_add_watch(watch, sys.argv[1].encode(), IN_OPEN | IN_CLOSE_NOWRITE) >= 0, os.strerror(ctypes.get_errno())
open(sys.argv[2], "w").write("0")
opens = 0
while True:
    data = os.read(watch, 4096)
    opens += sum(mask == IN_OPEN for _, mask, _, _ in struct.iter_unpack("iIII", data))
    with open(sys.argv[2] + ".new", "w") as out:
        out.write(str(opens))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
PYTHON
watcher=$!
for _ in $(seq 100); do [ -e "$folder/opens" ] && break; sleep 0.1; done
run train $small --name fine --from "$(dirname "$model")" >/dev/null 2>"$folder/error" || { cat "$folder/error" >&2; fail "--from"; }
sleep 0.5
kill $watcher
same "how often the starting point's tensors were opened" "$(cat "$folder/opens")" 2

# 6. An unusable GPU is reported, not ignored. The driver here is a stub of two functions.
if [ ! -e /proc/driver/nvidia/version ] && command -v c++ >/dev/null; then
  echo 'extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int* count) { *count = 1; return 0; }' >"$folder/cuda.cpp"
  mkdir "$folder/driver" && c++ -shared -fPIC -o "$folder/driver/libcuda.so.1" "$folder/cuda.cpp" || fail "a driver"
  echo '{"jsonrpc":"2.0","id":1,"method":"dryRun","params":{"preset":"mlrf/base"}}' |
    LD_LIBRARY_PATH=$folder/driver run serve >"$folder/out" 2>"$folder/error"
  same "warnings of serve before a model is loaded" "$(grep -c "device auto is the CPU: " "$folder/error")" 1
  echo '{"jsonrpc":"2.0","id":1,"method":"dryRun","params":{"preset":"mlrf/base"}}' | run serve >"$folder/out" 2>"$folder/error"
  same "warnings of serve without a driver" "$(grep -c "device auto" "$folder/error")" 0
fi
echo "arguments hold"
