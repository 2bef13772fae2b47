#!/usr/bin/env bash
# How packaging/setup.sh detects an NVIDIA driver. A container has its library without /proc/driver/nvidia.
. "${STRATA_SOURCE:-.}/tests/commands/checks.bash"
[ -e /proc/driver/nvidia/version ] && { echo "skipped: this computer has a driver"; exit 77; }
finder=$(sed -n '/^has_nvidia_driver()/,/^}/p' "$STRATA_SOURCE/packaging/setup.sh")
mkdir bin stubs
printf '#!/bin/sh\ncat "%s/cache"\n' "$work" > bin/ldconfig
chmod +x bin/ldconfig
driver() { # LINE OF ldconfig -p
  printf '2 libs found in cache\n\tlibc.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libc.so.6\n%s\n' "$1" > cache
  PATH=$work/bin:$PATH bash -c "set -euo pipefail; $finder
    if has_nvidia_driver; then echo yes; else echo no; fi"
}
line() { printf '\tlibcuda.so.1 (libc6,x86-64) => %s/libcuda.so.1' "$1"; }
check "no library" no "$(driver "")"
check "the driver's library" yes "$(driver "$(line /usr/local/lib/driver)")"
check "a toolkit's, for computers without" no "$(driver "$(line /usr/local/cuda-13.0/compat)")"
check "another library" no "$(driver "$(printf '\tlibcuda.so.1x (libc6,x86-64) => /usr/lib/libcuda.so.1x')")"
mkdir given && touch given/libcuda.so.1 stubs/libcuda.so.1
check "where the loader is told to look" yes "$(LD_LIBRARY_PATH=/nowhere:$work/given driver "")"
check "stubs there" no "$(LD_LIBRARY_PATH=$work/stubs: driver "")"
[ $failed = 0 ] && echo "the driver is found where it is"
exit $failed
