# Every verb on presets of dhea: see matrix.py.
exec python3 "$(dirname "$0")/matrix.py" dhea/gate dhea/hybrid "$@"
