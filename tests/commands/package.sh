#!/usr/bin/env bash
# What `cmake --install` puts into a folder: programs that run from there, manual pages and completion that say what
# --help says, a valid desktop file, and no path of this computer.
. "$(dirname "$0")/checks.bash"
build=$(dirname "$(dirname "$STRATA_RUN")")
cmake --install "$build" --strip --prefix "$work/in" >log 2>&1 || { cat log; exit 1; }
bin=$work/in/bin share=$work/in/share

# Programs and libraries
check 'strata-run runs' 0 "$("$bin/strata-run" runs --help >/dev/null; echo $?)"
check 'strata-engine loads the libraries next to it' '' \
  "$(LD_LIBRARY_PATH='' ldd "$bin/strata-engine" | grep -E 'libtorch|libc10|libcu' | grep -v "$work/in/" )"
check 'the engine runs' 0 "$("$bin/strata-run" train --help >/dev/null; echo $?)"
for program in "$bin"/strata "$bin"/strata-run "$bin"/strata-engine; do
  [ -e "$program" ] || continue
  check "where $(basename "$program") looks for libraries" '[$ORIGIN/../lib/strata]' \
    "$(readelf -d "$program" | sed -n 's/.*Library r[a-z]*path: //p')"
  check "no path of this computer in $(basename "$program")" '' \
    "$(grep -aoE "($(realpath "$STRATA_SOURCE")|$(realpath "$build")|$HOME/\.cache)/[[:print:]]{0,60}" "$program" | head -3)"
done
names() { nm -D "$@" | awk '{ print $NF }' | grep -oE '^(cuda|cupti)\w+' | sort -u; }
check 'stand-ins have every function of CUDA that libtorch names' '' \
  "$(comm -23 <(names --undefined-only "$work/in/lib/strata/libtorch_cpu.so") \
    <(names --defined-only "$work"/in/lib/strata/libcu*.so.13 2>/dev/null))"

# A driver that offers one device: the package cannot use it, and says what can.
mkdir driver
printf 'int cuInit(unsigned flags) { (void)flags; return 0; }\nint cuDeviceGetCount(int* n) { *n = 1; return 0; }\n' |
  cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o driver/libcuda.so.1 -x c -
STRATA_WORKSPACE=$work/workspace "$bin/strata-run" data generate --name tiny --size 60 --seed 1 >log 2>&1 || cat log
on_gpu() { # what is said of a device
  LD_LIBRARY_PATH=$work/driver STRATA_WORKSPACE=$work/workspace "$bin/strata-run" train --preset mlrf/base --data tiny --dry-run \
    --set training.device="$1" 2>&1 >/dev/null
}
advice="only libtorch's CPU part; $work/in/share/doc/strata/gpu.txt says how"
holds 'a device that the package cannot use' "Device cuda cannot be used: this package of Strata has $advice" "$(on_gpu cuda)"
holds 'the CPU instead of it' "device auto is the CPU: this package of Strata has $advice" "$(on_gpu auto)"
check 'that text is there' yes "$([ -s "$work/in/share/doc/strata/gpu.txt" ] && echo yes)"

# Manual pages and completion: every verb and option of each --help, which is read here in another way than in
# packaging/manual.py.
page() { zcat "$share/man/man1/$1.1.gz" | sed 's/\\f[BRI]//g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g'; }
# verbs [VERB...]: the names listed under Subcommands.
verbs() { "$bin/strata-run" "$@" --help | awk '/^Subcommands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'; }
options() { "$bin/strata-run" "$@" --help | awk '/^Options:/ { on = 1; next } /^$/ { on = 0 } on && /^  -/ { print $1 }' | tr , '\n' | sed 's/{.*//'; }
. "$share/bash-completion/completions/strata-run"
offered() { COMP_WORDS=(strata-run "$@"); COMP_CWORD=$#; _strata_run; printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"}; }
zsh=$(command -v zsh)
[ -n "$zsh" ] || [ -z "${CI:-}" ] || check 'zsh is here (Debian: zsh)' yes no
zsh_offered() { # the same for zsh: what its completion system receives
  zsh -f -c 'fpath=($1); shift
    _describe() { local -a all=("${(@P)@[-1]}"); print -rl -- ${all%%:*} }
    compadd() { shift; print -rl -- "$@" }
    _files() { }
    words=(strata-run "$@") CURRENT=$(($# + 1))
    autoload -Uz _strata-run; _strata-run' zsh "$share/zsh/site-functions" "$@"
}
counted=0
visit() { # [VERB...]
  local verb option text name="strata-run${1:+-$1}" found found_by_zsh=''
  text=$(page "$name")
  found=$(offered "$@" -)
  [ -z "$zsh" ] || found_by_zsh=$(zsh_offered "$@" -)
  for option in $(options "$@"); do
    counted=$((counted + 1))
    case "$text" in *"$option"*) ;; *) check "$name(1) describes $* $option" yes no ;; esac
    case $'\n'"$found"$'\n' in *$'\n'"$option"$'\n'*) ;; *) check "completion offers $* $option" yes no ;; esac
    [ -z "$zsh" ] || case $'\n'"$found_by_zsh"$'\n' in *$'\n'"$option"$'\n'*) ;; *) check "zsh offers $* $option" yes no ;; esac
  done
  check "completion offers the verbs of strata-run $*" "$(verbs "$@")" "$(offered "$@" '')"
  [ -z "$zsh" ] || check "zsh offers the verbs of strata-run $*" "$(verbs "$@")" "$(zsh_offered "$@" '')"
  for verb in $(verbs "$@"); do
    counted=$((counted + 1))
    [ $# -gt 0 ] || check "$verb has a page" yes "$([ -s "$share/man/man1/strata-run-$verb.1.gz" ] && echo yes)"
    [ $# = 0 ] || holds "$name(1) has a part on $* $verb" "strata-run $* $verb" "$text"
    visit "$@" "$verb"
  done
}
visit
check 'hundreds of verbs and options were compared' yes "$([ $counted -gt 300 ] && echo yes)"
check 'values of an option' $'moses\nicu\nnone' "$(offered data prepare --tokenizer '')"
if [ -n "$zsh" ]; then
  check 'values of an option in zsh' $'moses\nicu\nnone' "$(zsh_offered data prepare --tokenizer '')"
  check 'the value of an option is no verb in zsh' "$(verbs data)" "$(zsh_offered --workspace runs data '')"
  # A terminal: Tab completes what only one verb, or one option of it, begins with.
  typed=$(timeout 60 zsh -f -c 'zmodload zsh/zpty; zpty terminal zsh -f -i
    zpty -w terminal "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; strata-run() { print -r \"<\$*>\" }; print re\"\"ady"
    zpty -r terminal said "*ready*"
    zpty -w terminal $'"'"'strata-run workspa\tusa\t--js\t'"'"'
    zpty -r terminal said "*<*>*"; print -r -- $said' zsh "$share/zsh/site-functions")
  holds 'Tab in zsh' '<workspace usage --json>' "$typed"
fi
holds 'a page has the help of its options' 'Drop training pairs with more units on a side; 0: no limit' "$(page strata-run-data)"
holds 'a page has the examples' 'strata-run align --hypothesis ours.align --gold gold.txt' "$(page strata-run-align)"
check 'no home folder in a page' '' "$(zcat "$share"/man/man1/*.gz | grep -F "$HOME/")"
[ ! -e "$bin/strata" ] || holds 'the page of the window' '--screenshot' "$(page strata)"

if [ -e "$bin/strata" ]; then
  if command -v desktop-file-validate >/dev/null; then
    check 'the desktop file is valid' '' "$(desktop-file-validate "$share/applications/strata.desktop")"
  elif [ -n "${CI:-}" ]; then
    check 'desktop-file-validate is here (Debian: desktop-file-utils)' yes no
  fi
fi
[ $failed = 0 ] && echo "the installed files hold ($counted verbs and options)"
exit $failed
