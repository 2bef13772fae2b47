# Every verb on presets of deepatt: see matrix.py.
exec python3 "$(dirname "$0")/matrix.py" deepatt/att-2-2 "$@"
