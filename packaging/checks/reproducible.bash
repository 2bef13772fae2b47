# For packaging/check.sh: builds from two folders, with two home folders, and compares bytes.
all=(strata strata-run strata-engine)
for name in "${names[@]}"; do
  [[ " ${all[*]} " == *" $name "* ]] || die "$name: the programs are ${all[*]}" 2
done
if [ $mode = reproducible ]; then
  [ ${#names[@]} = 0 ] || die "--reproducible builds strata-run only; --reproducible-all takes names" 2
  programs=(strata-run) preset=headless
else
  programs=("${names[@]}") preset=release
  [ ${#names[@]} -gt 0 ] || programs=("${all[@]}")
fi
begin

# copy_checkout FOLDER HOME: the files that git knows, and the set-up's downloads.
copy_checkout() {
  mkdir -p "$1" "$2/.cache"
  git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents --target-directory="$1")
  cp -a "${XDG_CACHE_HOME:-$HOME/.cache}/strata" "$2/.cache/"
}

# compile: the programs. strata-run depends on strata-engine, so that alone it is linked by hand.
compile() {
  if [ "${programs[*]}" != strata-run ]; then
    ninja "${programs[@]}"
    return
  fi
  ninja strata_commands
  ninja -t commands strata-run | tail -1 >link.sh
  ninja -t commands strata-run | grep -- '-c .*strata-run.dir' | tail -1 >compile.sh
  bash -e compile.sh
  bash -e link.sh
}

build_in() { # FOLDER HOME NUMBER
  unset XDG_CACHE_HOME
  export HOME=$2
  if [ -n "$compiler_cache" ]; then export CCACHE_DIR=$compiler_cache/$3; else export CCACHE_DISABLE=1; fi
  "$1/packaging/setup.sh" $preset -DSTRATA_UNITY=ON
  cd "$1/build/$preset"
  compile
  [ ${#programs[@]} -lt ${#all[@]} ] || cmake --install . --prefix "$1/installed" --strip
}
build() { # FOLDER HOME NUMBER
  local begun=$SECONDS
  copy_checkout "$1" "$2"
  followed "$work/$3.log" build_in "$@"
  [ $status = 0 ] || { tail -20 "$work/$3.log" >&2; die "the build in $1 failed"; }
  say "built ${programs[*]} in $((SECONDS - begun)) s"
}

first=$work/a second=$work/deeper/path/second
build "$first" "$work/home" 1
build "$second" "$work/another/home/user" 2
same=yes
for program in "${programs[@]}"; do
  if cmp "$first/build/$preset/bin/$program" "$second/build/$preset/bin/$program"; then
    say "$program has the same bytes in two folders and with two home folders"
  else
    same=no
  fi
done
if [ $same = no ]; then
  objects() { (cd "$1/build/$preset" && find . -name '*.o' -exec sha256sum {} + | sort -k 2); }
  diff <(objects "$first") <(objects "$second") | awk '/^</ { print $3 }' >&2 || true
  die "programs differ between two folders and homes; the objects above do"
fi
if [ -d "$first/installed" ]; then
  diff -r --no-dereference "$first/installed" "$second/installed" || die "what is installed differs between two folders and homes"
  say "everything installed has the same bytes, too: $(find "$first/installed" -type f | wc -l) files"
fi
