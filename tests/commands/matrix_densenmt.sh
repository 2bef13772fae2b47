# Every verb on presets of densenmt: see matrix.py.
exec python3 "$(dirname "$0")/matrix.py" densenmt/4l-2 baseline/fconv-iwslt "$@"
