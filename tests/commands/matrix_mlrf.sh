# Every verb on presets of mlrf: see matrix.py.
exec python3 "$(dirname "$0")/matrix.py" mlrf/both-fnn-sa4 baseline/transformer-iwslt "$@"
