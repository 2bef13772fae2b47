#!/usr/bin/env bash
# What packaging/check.sh would do: its options, and the steps of packaging/strata.def and of definitions that are wrong.
. "$(dirname "$0")/checks.bash"
packaging=$STRATA_SOURCE/packaging
steps=$("$packaging/check.sh" --container --dry-run)

# The definition: what the first stage needs to build is copied, and only its package gets into the image.
check 'the steps but copies from the checkout' $'stage build bookworm\npost build\nstage final bookworm\ncopy final build /opt/package/strata_*.deb /opt/strata.deb\npost final\nrun final' \
  "$(grep -v 'copy.build.checkout' <<<"$steps" | sed -E 's/^(post|run)(\t\w+).*/\1\2/' | tr '\t' ' ')"
for part in CMakeLists.txt CMakePresets.json $(sed -n 's/^add_subdirectory(\(.*\))/\1/p' "$STRATA_SOURCE/CMakeLists.txt") \
  $(grep -ohE 'CMAKE_SOURCE_DIR}/[a-z]+' "$STRATA_SOURCE"/cmake/*.cmake | cut -d / -f 2 | sort -u); do
  holds "$part is copied" $'copy\tbuild\tcheckout\t'"$part"$'\t/opt/source/' "$steps"
done
while IFS=$'\t' read -r step _ from source _; do
  [ "$step $from" != 'copy checkout' ] || check "$source is in the checkout" yes "$([ -e "$STRATA_SOURCE/$source" ] && echo yes)"
done <<<"$steps"
post() { "$packaging/checks/definition.py" script "$packaging/strata.def" build post "$@"; }
holds 'the preset' 'packaging/setup.sh release -DSTRATA_UNITY=ON' "$(post)"
holds 'a build argument' 'packaging/setup.sh headless -DSTRATA_UNITY=ON' "$(post preset=headless)"
check 'the scripts are shell' '' "$(post | sh -n 2>&1)"

# Definitions. What is between the first and the last line of a stage is given.
define() { # STAGE LINE...
  local stage=$1
  shift
  printf 'Bootstrap: docker\nFrom: debian:12\nStage: %s\n' "$stage"
  printf '%s\n' "$@"
}
read_steps() { cat >it.def; "$packaging/checks/definition.py" steps it.def "$@" 2>&1 | tr '\t' ' '; }
check 'blank lines and comments copy nothing' $'stage one bookworm\ncopy one checkout a b /x\ncopy one checkout /y /y' \
  "$(define one '%files' '' '   ' '  # a b' '  "a b" /x' '' '  /y' '' | read_steps)"
check 'blank lines are not counted' $'stage one bookworm\npost one 2' \
  "$(define one '%arguments' '# b=1' 'a = 1' '%post # {{ c }}' '# {{ b }}' '' 'echo {{a}} {{ a }} # {{ b }}' | read_steps)"
check 'a comment keeps its braces' $'# {{ b }}\n\necho 1 1 # {{ b }}' "$("$packaging/checks/definition.py" script it.def one post)"
wrong() { # MESSAGE LINE...
  local message=$1
  shift
  check "$*" "it.def:$message" "$(define one "$@" | read_steps)"
}
wrong "5: {{ a }} has no value: %arguments of this stage does not name it" %post 'echo {{ a }}'
wrong "4: %setup cannot be carried out here; known are %arguments, %files, %post, %runscript, %help" %setup 'touch /x'
wrong "4: %files from two: no earlier stage has this name" '%files from two' '/a /b'
wrong "4: options of %post are not known here: -c /bin/bash" '%post -c /bin/bash'
wrong "5: the target 'b' is not an absolute path below / without .." %files 'a b'
wrong "5: the target '/b/../../c' is not an absolute path below / without .." %files 'a /b/../../c'
wrong "5: the target '/' is not an absolute path below / without .." %files 'a /'
wrong "5: a line of %files is SOURCE [TARGET]; quote paths with spaces" %files 'a b /c'
wrong "4: 'MirrorURL' is not known here; known are Bootstrap, From and Stage" 'MirrorURL: somewhere'
wrong "1: a stage begins with Bootstrap: docker and From: debian:12" 'From: alpine'
wrong "4: another stage has the name one" "$(define one)"
wrong "8: '../x' of another stage is not an absolute path without .." "$(define two '%files from one' '../x /y')"
check 'an unknown build argument' "it.def:1: no build argument 'b': no stage uses {{ b }}" "$(define one %post | read_steps b=1)"
check 'no stage' 'it.def:1: no stage: one begins with "Bootstrap: docker"' "$(echo '%post' | read_steps)"

# Options
for case in '--pairs|--pairs wants a value' '--pairs 0|--pairs 0: write a number from 1' '--sideways|no option --sideways; --help lists them' \
  '--dry-run|--dry-run belongs to --container' '--container --reproducible|choose one of --container and --reproducible' \
  '--reproducible strata|--reproducible builds strata-run only; --reproducible-all takes names' \
  '--compiler-cache x y.deb|--compiler-cache: packages are not compiled here' \
  '--reproducible-all strata engine|engine: the programs are strata strata-run strata-engine' \
  '--container --dry-run headless|headless: a build argument is KEY=VALUE'; do
  check "check.sh ${case%%|*}" "check: ${case#*|}"$'\n2' "$("$packaging/check.sh" ${case%%|*} 2>&1; echo $?)"
done
holds 'its help' '--reproducible-all' "$("$packaging/check.sh" --help)"
[ $failed = 0 ] && echo "the definition has the steps that it should, and mistakes are named"
exit $failed
