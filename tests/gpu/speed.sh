#!/usr/bin/env bash
# How fast a GPU trains and decodes: see speed.py, which this starts.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/speed.py" "$@"
