# The check that compares a GPU with the CPU, here with the CPU on both sides: libtorch's operators against our kernels.
set -eu
"$STRATA_SOURCE/tests/gpu/check.sh" --device cpu --programs "$(dirname "$STRATA_RUN")" \
  --references "$STRATA_SOURCE/tests/references/models" ${1---narrow}
