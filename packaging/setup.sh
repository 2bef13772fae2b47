#!/usr/bin/env bash
# Installs missing dependencies and configures a build:
#   packaging/setup.sh [PRESET] [--tests] [-D...]      PRESET is release (default), dev, asan, headless or fuzz
# Debian packages are installed only if some are missing (only then root is needed); --tests adds those that only the
# tests need. libtorch and Moses's prefix lists are downloaded once to ${XDG_CACHE_HOME:-~/.cache}/strata, pinned and
# verified by digest. With -DSTRATA_TORCH_ROOT=DIR your own libtorch is used instead of a downloaded one.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/strata
torch_version=2.11.0

die() { printf 'setup: %s\n' "$1" >&2; exit 1; }
say() { printf 'setup: %s\n' "$1" >&2; }

preset=release
case "${1:-}" in '' | -*) ;; *) preset=$1; shift ;; esac
tests=no
if [ "${1:-}" = --tests ]; then tests=yes; shift; fi

packages() {
  local window=yes fuzz=no
  case "$preset" in headless | fuzz) window=no ;; esac
  [ "$preset" = fuzz ] && fuzz=yes
  awk -v window=$window -v tests=$tests -v fuzz=$fuzz '
    /^# window/ { wanted = window; named = 1 }
    /^# tests/ { wanted = tests; named = 1 }
    /^# fuzz/ { wanted = fuzz; named = 1 }
    !/^#/ && (!named || wanted == "yes")' "$here/debian-packages.txt"
}

install_packages() {
  command -v dpkg-query >/dev/null || { say "dpkg not found: install the packages of packaging/debian-packages.txt yourself"; return; }
  local missing=() package
  for package in $(packages); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "missing packages and no sudo; run as root: apt-get install ${missing[*]}"
    if [ -t 0 ]; then as_root=(sudo)
    elif sudo -n true 2>/dev/null; then as_root=(sudo -n)
    else die "missing packages, and sudo cannot ask for a password here; run: sudo apt-get install ${missing[*]}"; fi
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update </dev/null || die "apt-get update failed: check the network and /etc/apt"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2 ||
    die "apt-get could not install the packages: check the network, then run it by hand: apt-get install ${missing[*]}"
}

# A container has the driver's library without the kernel's files. CUDA toolkits have a library of the same name for
# computers without a driver, in folders named stubs and compat.
has_nvidia_driver() {
  [ -e /proc/driver/nvidia/version ] && return
  local folder folders
  PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null |
    awk '/libcuda\.so\.1 / && !/\/(stubs|compat)\// { found = 1 } END { exit !found }' && return
  IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
  for folder in "${folders[@]}" /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib/wsl/lib /usr/local/nvidia/lib64; do
    case "$folder/" in / | */stubs/* | */compat/*) continue ;; esac
    [ -e "$folder/libcuda.so.1" ] && return
  done
  return 1
}

# A wheel is a zip file; only torch's libraries and headers are kept, without the CUDA libraries if there is no driver.
unpack() {
  python3 - "$1" "$2" "$3" <<'PYTHON'
import glob, os, sys, zipfile
wheels, target, kind = sys.argv[1:]
gpu_only = ("libtorch_cuda", "libtorch_nvshmem", "libcaffe2_nvrtc")
for path in sorted(glob.glob(wheels + "/*.whl")):
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            base = os.path.basename(name)
            if base.startswith("nonbreaking_prefix."):
                with open(f"{target}/{base}", "wb") as out:
                    out.write(wheel.read(name))
            elif name.startswith(("torch/lib/", "torch/include/", "nvidia/")):
                if base.startswith("libtorch_python") or (kind == "cpu" and base.startswith(gpu_only)):
                    continue
                wheel.extract(name, target)
PYTHON
}

# fetch FOLDER KIND GIGABYTES LIST...: downloads the wheels of the lists and unpacks them to one folder of the cache. The
# stamp is written last and the folder renamed into place, so that a broken download never looks complete.
fetch() {
  local folder=$cache/$1 kind=$2 needed=$3 list requirements=()
  shift 3
  for list in "$@"; do requirements+=(-r "$list"); done
  local stamp; stamp=$(cat "$@" | sha256sum | cut -c1-16)-$kind
  [ "$(cat "$folder/complete" 2>/dev/null)" = "$stamp" ] && return
  mkdir -p "$cache" || die "cannot write to $cache: make it writable or set XDG_CACHE_HOME"
  [ "$(df -Pk "$cache" | awk 'NR == 2 { print $4 }')" -ge $((needed * 1000000)) ] ||
    die "less than $needed GB free in $cache: free some space or set XDG_CACHE_HOME"
  work=$(mktemp -d "$cache/fetch-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  local platforms=(--platform manylinux2014_x86_64) minor
  for minor in $(seq 17 28); do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
  say "downloading $(basename "$folder") ($kind) to $cache"
  python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --require-hashes --only-binary=:all: \
    --python-version 3.11 --implementation cp "${platforms[@]}" --dest "$work/wheels" "${requirements[@]}" </dev/null ||
    die "could not download $(basename "$folder"): check the network and run this again (your own libtorch: -DSTRATA_TORCH_ROOT=DIR)"
  mkdir "$work/tree"
  unpack "$work/wheels" "$work/tree" "$kind" || die "could not unpack to $cache: check its free space"
  printf '%s' "$stamp" >"$work/tree/complete"
  rm -rf "$folder"
  mv "$work/tree" "$folder"
  rm -rf "$work"
}

own_torch=no
for argument in "$@"; do case "$argument" in -DSTRATA_TORCH_ROOT=?*) own_torch=yes ;; esac; done

install_packages
fetch moses-prefixes any 1 "$here/wheels-data.txt"
settings=(-DSTRATA_PREFIXES_DIR="$cache/moses-prefixes")
if [ $own_torch = no ]; then
  if has_nvidia_driver; then fetch torch-$torch_version cuda 14 "$here/wheels-cpu.txt" "$here/wheels-cuda.txt"
  else fetch torch-$torch_version cpu 4 "$here/wheels-cpu.txt"; fi
  settings+=(-DSTRATA_TORCH_ROOT="$cache/torch-$torch_version/torch")
fi
cd "$root"
output=$(cmake --preset "$preset" "${settings[@]}" "$@" 2>&1) ||
  { printf '%s\n' "$output" >&2; die "cmake could not configure the build: see its output above"; }
say "build/$preset is configured"
