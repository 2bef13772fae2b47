# For packaging/check.sh: carries out the steps of packaging/strata.def, each stage in a Debian of its own below $work, and
# tries what the last one runs. What a stage sees of this computer is below its $given.
definition=$root/packaging/strata.def
given=/run/strata-check
read_definition() { python3 "$root/packaging/checks/definition.py" "$1" "$definition" "${@:2}" "${names[@]}"; }
for name in "${names[@]}"; do [[ $name =~ ^[A-Za-z0-9_]+= ]] || die "$name: a build argument is KEY=VALUE" 2; done
steps=$(read_definition steps) || exit 1
if [ $dry_run = yes ]; then
  printf '%s\n' "$steps"
  exit 0
fi
begin
needs_root

# network STAGE: what apt and pip need here to reach their servers: proxies, certificates, packages' addresses.
network() {
  local at=$work/$1$given certificates file
  mkdir -p "$at"
  certificates=${PIP_CERT:-${REQUESTS_CA_BUNDLE:-${SSL_CERT_FILE:-}}}
  [ -n "$certificates" ] || certificates=$(python3 -m pip config get global.cert 2>/dev/null || true)
  apt-config dump Acquire | grep -E '^Acquire::(http|https|Check-Valid-Until)\b' | grep -v CaInfo >"$work/$1/etc/apt/apt.conf.d/99strata-check" || true
  env | grep -iE '^((http|https|no)_proxy|PIP_[A-Z_]+)=' | grep -v '^PIP_CERT=' >"$at/environment" || true
  for file in /etc/pip.conf ~/.config/pip/pip.conf ~/.pip/pip.conf; do
    [ ! -f "$file" ] || install -D -m 600 "$file" "$work/$1${file/#$HOME//root}"
  done
  if [ -f "$certificates" ]; then
    cp -L "$certificates" "$at/certificates.pem"
    echo "PIP_CERT=$given/certificates.pem" >>"$at/environment"
    echo "Acquire::https::CaInfo \"$given/certificates.pem\";" >>"$work/$1/etc/apt/apt.conf.d/99strata-check"
  fi
}
begin_stage() {
  bare "$1" "$2"
  network "$1"
  [ -z "$compiler_cache" ] || [ "$1" = "$last" ] || {
    mkdir -p "$compiler_cache" "$work/$1$given/compiler-cache"
    mount --bind "$compiler_cache" "$work/$1$given/compiler-cache"
    echo "CCACHE_DIR=$given/compiler-cache" >>"$work/$1$given/environment"
  }
}

# copy STAGE FROM SOURCE TARGET: as Apptainer does; SOURCE may be a pattern. Links in a stage may lead out of it.
copy() {
  local from=$root source target found=()
  [ "$2" = checkout ] || from=$work/$2
  mapfile -t found < <(cd "$from" && compgen -G "${3#/}" | sort)
  [ ${#found[@]} -gt 0 ] || die "$1: there is no $3 in $2"
  for source in "${found[@]}"; do
    target=$work/$1$4
    case "$(realpath -m "$target")" in "$work/$1"/*) ;; *) die "$1: $4 leads out of the stage" ;; esac
    case "$target" in */) mkdir -p "$target" ;; *) mkdir -p "$(dirname "$target")" ;; esac
    if [ "$2" = checkout ]; then
      cp -fLr "$from/$source" "$target"
    else
      case "$(realpath "$from/$source")" in "$from"/*) ;; *) die "$2: $source leads out of the stage" ;; esac
      [ ! -d "$target" ] || target=$target/$(basename "$source")
      cp -aHT "$from/$source" "$target"
    fi
  done
}

# enter STAGE COMMAND...: as root, with an environment as Apptainer gives it and what the network needs.
enter() {
  local environment=()
  mapfile -t environment <"$work/$1$given/environment"
  chroot "$work/$1" env -i HOME=/root LANG=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${environment[@]}" "${@:2}"
}
post() {
  local begun=$SECONDS
  read_definition script "$1" post >"$work/$1/.post.script"
  followed "$work/$1.log" enter "$1" /bin/sh -ex /.post.script
  [ $status = 0 ] || { tail -40 "$work/$1.log" >&2; die "%post of stage $1 failed"; }
  rm "$work/$1/.post.script"
  say "stage $1: %post took $((SECONDS - begun)) s; $(enter "$1" dpkg-query -W | wc -l) packages, $(du -smx --exclude="$work/$1$given" "$work/$1" | cut -f 1) MB"
}

# The image has what runs, and nothing to build with; an ordinary user runs it, as Apptainer lets one.
check_image() {
  local tools packages answer
  tools=$(enter "$1" sh -c 'for tool in cc gcc g++ c++ cpp as ld clang cmake ninja make ccache pip3; do command -v $tool; done; true')
  [ -z "$tools" ] || die "the image has what builds: $tools"
  packages=$(enter "$1" dpkg-query -W -f '${Package}\n' | grep -E -- '-dev$|^build-essential$' || true)
  [ -z "$packages" ] || die "the image has packages to build with: $packages"
  [ -z "$(ls "$work/$1/opt")" ] || die "the image has the stages' files: $(ls "$work/$1/opt")"
  say "the image has no compiler and no headers"
  read_definition script "$1" runscript >"$work/$1/.runscript"
  chmod 644 "$work/$1/.runscript"
  add_user "$1"
  answer=$(as_user "$1" /usr/local/bin:/usr/bin:/bin '/bin/sh /.runscript train --help')
  case "$answer" in *Usage:*--preset*) say "the image runs: train --help" ;; *) die "train --help in the image printed: $answer" ;; esac
  demo "$1" /usr/local/bin:/usr/bin:/bin
  say "the demo ran in the image"
  [ -x "$work/$1/usr/bin/strata" ] || { say "the image is one without the window"; return; }
  [ "$pictures" -gt 0 ] || die "the window in the image drew no pictures"
  say "the window drew $pictures pictures of itself in the image"
}

last=$(awk -F '\t' '$1 == "stage" { name = $2 } END { print name }' <<<"$steps")
while IFS=$'\t' read -r step stage rest; do
  IFS=$'\t' read -ra words <<<"$rest"
  case $step in
    stage) say "stage $stage begins"; begin_stage "$stage" "${words[0]}" ;;
    copy) copy "$stage" "${words[@]}" ;;
    post) post "$stage" ;;
    run) check_image "$stage" ;;
  esac
done <<<"$steps"
