#!/usr/bin/env bash
# The Python package of packaging/python: built as a wheel, installed, and tested on a workspace that the program made:
# three seeds, a run that repeats steps, a killed one, one in the trash, translations and scores. Runs docs/workspace.ipynb.
. "$(dirname "$0")/checks.bash"
source=${STRATA_SOURCE:?}
missing() { echo "$1 is not here (Debian 12: apt install $2)"; exit $([ -n "${CI:-}" ] && echo 1 || echo 77); }
# Debian's Python has Debian's packages; another one may come first on PATH.
for python in /usr/bin/python3 python3; do "$python" -c 'import numpy, pandas, xxhash' 2>log && break; done
"$python" -c 'import numpy, pandas' 2>log || missing "pandas" python3-pandas
"$python" -c 'import xxhash' 2>log || missing "xxhash" python3-xxhash
"$python" -c 'import setuptools, wheel, pip' 2>log || missing "pip" python3-pip
"$python" -c 'import nbclient, ipykernel' 2>log || missing "nbclient" "python3-nbclient python3-ipykernel"

cp -r "$source/packaging/python" package
"$python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir wheels ./package \
  2>log || { cat log; exit 1; }
check "the wheel is pure and has the program's version" "strata-$(sed -n 's/^project(strata VERSION \([0-9.]*\) .*/\1/p' \
  "$source/CMakeLists.txt")-py3-none-any.whl" "$(ls wheels)"
"$python" -m pip --disable-pip-version-check install --quiet --no-deps --no-index --target site wheels/*.whl 2>log || { cat log; exit 1; }
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1
check "the tests use the installed package" "$work/site/strata/__init__.py $(sed -n 's/^version = "\(.*\)"/\1/p' package/pyproject.toml)" \
  "$("$python" -c 'import strata; print(strata.__file__, strata.__version__)')"
[ -f site/strata/py.typed ] || check "the marker of types is installed" py.typed ""
"$python" -W error -m compileall -q -f package/strata package/tests || failed=1

export STRATA_TRAINED=$work/workspace
run() { "$STRATA_RUN" --workspace "$STRATA_TRAINED" "$@" >out 2>log || { echo "strata-run $*"; cat log; exit 1; }; }
small="--preset demo/mlrf --data tiny --set model.embed_dim=32 --set model.ffn_dim=64 --set model.encoder_layers=2
  --set model.decoder_layers=2 --set validation.every_epochs=0 --set validation.metrics=[nll] --set validation.monitor=[]
  --set checkpoint.metric=valid/nll --set training.threads=1 --set training.device=cpu --set training.log_every=1"
run data generate --name tiny --size 300 --seed 1
for seed in 1 2 3; do
  run train $small --name seed.s$seed --set seed=$seed --set training.max_updates=4 --set validation.every_updates=2 \
    --set checkpoint.every_updates=2 --set validation.samples=2 --set recording.sentences=2
done
bare="--set validation.samples=0 --set recording.sentences=0"
run train $small $bare --name resumed --set training.max_updates=10 --set checkpoint.every_updates=5 --set validation.every_updates=5
run runs checkpoints resumed --remove 10
run train --resume resumed --set training.max_updates=12
run train $small $bare --name trashed --set training.max_updates=1
run runs trash trashed
run runs tag seed.s2 b a
run translate --run seed.s1@best --set test --beam 1
awk '{ print "a translation" }' "$STRATA_TRAINED"/datasets/tiny/sets/test/raw.target >theirs.txt
run systems import theirs.txt --name theirs --set tiny/test
awk 'BEGIN { print "score" } { print NR % 2 ? "0.0" : "0.5" }' theirs.txt >scores.tsv
run systems scores import scores.tsv --set tiny/test --system theirs --metric COMET --higher-is-better
run runs import "$source/tests/references/curves/fairseq-0.12.2-simple.log" --name elsewhere  # curves only
"$STRATA_RUN" --workspace "$STRATA_TRAINED" train $small $bare --name killed >out 2>log & trainer=$!
for _ in $(seq 300); do grep -q 'step' log && break; sleep 0.1; done
kill -KILL $trainer
wait $trainer 2>/dev/null

"$python" -m unittest discover -s package/tests 2>log || { cat log; failed=1; }
grep -q '^Ran [3-9][0-9] tests' log || { cat log; failed=1; }
STRATA_WORKSPACE=$STRATA_TRAINED "$python" "$source/tests/commands/run_notebook.py" "$source/docs/workspace.ipynb" || failed=1
exit $failed
