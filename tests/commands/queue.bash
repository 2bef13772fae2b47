# Shared by tests of queued runs: a temporary workspace, and functions that query a run's state.
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
run() { "$STRATA_RUN" --workspace "$folder/w" "$@"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
field() { run --json runs show "$1" | grep -m1 "\"$2\":" | tr -d ' ",' | cut -d: -f2; }  # RUN KEY
wait_for() {  # RUN STATE: at most a minute
  for _ in $(seq 300); do [ "$(field "$1" status)" = "$2" ] && return 0; sleep 0.2; done
  fail "$1 is $(field "$1" status), not $2"
}
at() {  # JSON EXPRESSION: a value of a document d, by Python; row(NAME) of a table, score(NAME) of its column test
  python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
row = lambda name: next(r for r in d["rows"] if r["name"] == name)
score = lambda name: row(name)["measured"]["test"]
print(eval(sys.argv[2]))' "$1" "$2"
}
same() { [ "$2" = "$3" ] || fail "$1: $2 instead of $3"; }  # WHAT GOT WANTED

# A training of many quick updates, on a dataset `toy`.
quick="--preset mlrf/base --data toy --set model.embed_dim=16 --set model.ffn_dim=16 --set model.encoder_layers=1
  --set model.decoder_layers=1 --set validation.samples=0 --set training.phases=[] --set training.schedule.name=inverse_sqrt
  --set training.schedule.warmup=20 --set training.batch.unit=sentences --set training.batch.size=32 --set validation.monitor=[]
  --set validation.every_epochs=0 --set checkpoint.every_epochs=0 --set recording.sentences=0 --set training.threads=1
  --set training.device=cpu --set training.log_every=1"
