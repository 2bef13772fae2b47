# Shared by tests of verbs on plain files: a temporary working folder, and checks that print what they expected.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

check() { # NAME EXPECTED ACTUAL
  if [ "$2" != "$3" ]; then
    printf 'FAIL %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
    failed=1
  fi
}
holds() { # NAME PART TEXT
  case "$3" in *"$2"*) ;; *) printf 'FAIL %s: no "%s" in: %s\n' "$1" "$2" "$3"; failed=1 ;; esac
}
value() { # JSON KEY...: one value of a JSON document
  python3 -c 'import json, sys
value = json.loads(sys.argv[1])
for key in sys.argv[2:]: value = value[int(key) if key.lstrip("-").isdigit() else key]
print(value)' "$@"
}
tools() { # FILE...: what these lists of packages name, from PyPI into venv/bin; where that cannot be had the test is left out
  python3 -m venv venv > log 2>&1 &&
    venv/bin/pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes --only-binary=:all: \
      "${@/#/--requirement=}" > log 2>&1 && return
  tail -n 3 log
  echo "SKIP: $* cannot be installed"
  [ -z "${CI:-}" ] && exit 77 || exit 1
}
in_workspace() { # For scripts that drive strata-run in a workspace of their own: run and refused
  export STRATA_WORKSPACE=$work/workspace
  run() { "$STRATA_RUN" --log-level error "$@"; }
  refused() { # STATUS PART ARGS...
    local message status=$1 part=$2
    shift 2
    message=$(run "$@" 2>&1)
    check "status of: $*" "$status" $?
    holds "message of: $*" "$part" "$message"
  }
}
