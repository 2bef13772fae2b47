# verify agrees with every reference case, of all families and of the optimizers, in both precisions, with the CPU kernels
# and with the operators that a GPU uses; and it fails if a number is wrong.
set -eu
own=$STRATA_SOURCE/tests/references/models
verify_all() { # CASES: every folder in it that holds a case
  wanted=$(find "$1" -name config.json | wc -l)
  for how in "float64" "float32" "float64 --plain" "float32 --plain"; do
    # shellcheck disable=SC2086
    said=$("$STRATA_RUN" verify --precision $how "$1" | tail -1)
    [ "$said" = "$wanted cases agree" ] || { echo "$1, $how: '$said' instead of all $wanted cases"; exit 1; }
  done
}
for family in deepatt densenmt dhea mlrf optim transformer; do
  [ -n "$(find "$own/$family" -name config.json)" ] || { echo "no case of $family in $own"; exit 1; }
done
[ "$(find "$own" -name config.json | wc -l)" -ge 40 ] || { echo "cases are missing in $own"; exit 1; }
verify_all "$own"
more=$STRATA_SHARED/fixtures/models
[ ! -d "$more" ] || verify_all "$more"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -rL "$own/mlrf/dec-sa4" "$folder/case"  # followed, or a linked case would be written to
chmod -R u+w "$folder/case"
# The last bytes of the parameters are the last tensor's last number.
printf '\x00\x00\x80\x3f' | dd of="$folder/case/model.safetensors" bs=1 conv=notrunc \
  seek=$(($(stat -c %s "$folder/case/model.safetensors") - 4)) 2>/dev/null
for how in "" --plain; do
  # shellcheck disable=SC2086
  if "$STRATA_RUN" verify $how "$folder/case" >"$folder/out" 2>/dev/null; then
    echo "a changed parameter was not noticed"; exit 1
  fi
  grep -q '^FAIL' "$folder/out"
done
status=0; "$STRATA_RUN" verify "$folder" --precision float16 >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || { echo "an unknown precision gives status $status"; exit 1; }
