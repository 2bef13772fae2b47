# Shared by tests of the verbs that measure a run's model: a workspace with the dataset tiny, and small runs on it.
. "$(dirname "${BASH_SOURCE[0]}")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" "$@" 2>log; }
train() { # NAME PRESET OPTIONS...; on the dataset $data if there is one
  run train --data "${data:-tiny}" --name "$1" --preset "$2" --set training.max_updates=4 --set validation.every_updates=2 \
    --set validation.every_epochs=0 --set 'validation.metrics=[nll]' --set 'validation.monitor=[]' --set validation.samples=0 \
    --set checkpoint.metric=valid/nll --set training.threads=1 --set recording.sentences=0 "${@:3}" >/dev/null ||
    { cat log; exit 1; }
}
json() { python3 -c "import json, sys; report = json.load(open(sys.argv[1])); print($2)" "$1"; } # FILE EXPRESSION
run data generate --name tiny --size 300 --seed 1 >/dev/null || { cat log; exit 1; }
sides=$STRATA_WORKSPACE/datasets/tiny/sets/valid
loss() { # RUN OPTIONS...: -log p per token of the validation set
  run score --run "$1" --source "$sides/raw.source" --target "$sides/raw.target" "${@:2}" |
    awk '{ sum -= $1; tokens += $2 } END { printf "%.5f", sum / tokens }'
}
