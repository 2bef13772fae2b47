#!/usr/bin/env bash
# Tries the packages, or the image, on a bare Debian 12, as root, or builds twice and compares:
#   packaging/check.sh [--pairs N] [--keep] [DEB] [ARCHIVE]
#   packaging/check.sh --container [--dry-run] [--pairs N] [--keep] [--compiler-cache DIR] [KEY=VALUE...]
#   packaging/check.sh --reproducible | --reproducible-all [--keep] [--compiler-cache DIR] [PROGRAM...]
# Packages: one Debian is made with debootstrap in a temporary folder. There the package is installed with apt, an ordinary
# user runs the demo without a display, and the package is purged: only the user's workspace may remain. Then the archive
# is unpacked by that user in a bare Debian where nothing is installed, and runs the demo, too.
#   --pairs N   size of the demo's corpus [2000]
#   --keep      leaves the temporary folder
# --container carries out packaging/strata.def without Apptainer: the same files are copied, the same scripts run, each stage
# in a Debian of its own; then an ordinary user runs the demo in the last one, which may have no compiler. Half an hour
# on two cores, 7 GB in TMPDIR. KEY=VALUE is a build argument (preset=headless).
#   --dry-run   prints the definition's steps, and does nothing
# --reproducible builds strata-run from two folders, with two home folders and without the compiler cache; both must have
# the same bytes (about five minutes on two cores). --reproducible-all does the same with all three programs, or
# those that are named; with all three, everything that is installed must be the same, too (an hour).
#   --compiler-cache DIR  keeps what is compiled for the next check: of the two builds, in a folder each
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
arguments=("$@")
die() { printf 'check: %s\n' "$1" >&2; exit "${2:-1}"; }
say() { printf 'check: %s\n' "$1"; }
. "$root/packaging/checks/folder.bash"

mode=packages pairs=2000 keep=no dry_run=no compiler_cache='' names=()
choose() { [ $mode = packages ] || die "choose one of --$mode and --$1" 2; mode=$1; }
while [ $# -gt 0 ]; do
  case "$1" in
    --pairs | --compiler-cache) [ $# -gt 1 ] || die "$1 wants a value" 2 ;;&
    --pairs)
      [[ $2 =~ ^[1-9][0-9]*$ ]] || die "--pairs $2: write a number from 1" 2
      pairs=$2; shift ;;
    --compiler-cache) compiler_cache=$(realpath -m "$2"); shift ;;
    --keep) keep=yes ;;
    --dry-run) dry_run=yes ;;
    --container | --reproducible | --reproducible-all) choose "${1#--}" ;;
    -h | --help) sed -n '2,22s/^# //p' "$0"; exit 0 ;;
    -*) die "no option $1; --help lists them" 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
[ $dry_run = no ] || [ $mode = container ] || die "--dry-run belongs to --container" 2
[ -z "$compiler_cache" ] || [ $mode != packages ] || die "--compiler-cache: packages are not compiled here" 2

case $mode in
  container) . "$root/packaging/checks/container.bash" ;;
  reproducible | reproducible-all) . "$root/packaging/checks/reproducible.bash" ;;
  packages) . "$root/packaging/checks/packages.bash" ;;
esac
