# verify passes on every case of the Transformer and its fusions in both precisions, on every optimizer case, and fails
# where a number is wrong.
set -eu
cases=$STRATA_SOURCE/tests/references/models
for precision in float64 float32; do
  "$STRATA_RUN" verify --precision $precision "$cases/densenmt" "$cases/mlrf" "$cases/transformer" >/dev/null
done
"$STRATA_RUN" verify "$cases/optim" >/dev/null

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -rL "$cases/mlrf/dec-sa4" "$folder/case"  # followed, or a linked case would be written to
chmod -R u+w "$folder/case"
# The last bytes of the parameters are the last tensor's last number.
printf '\x00\x00\x80\x3f' | dd of="$folder/case/model.safetensors" bs=1 conv=notrunc \
  seek=$(($(stat -c %s "$folder/case/model.safetensors") - 4)) 2>/dev/null
if "$STRATA_RUN" verify "$folder/case" >"$folder/out" 2>/dev/null; then
  echo "a changed parameter was not noticed"; exit 1
fi
grep -q '^FAIL' "$folder/out"
status=0; "$STRATA_RUN" verify "$folder" --precision float16 >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || { echo "an unknown precision gives status $status"; exit 1; }
