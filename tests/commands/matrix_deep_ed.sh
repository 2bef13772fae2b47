# Deep-ED, which has 9 + 7 layers in every preset: the rows of matrix.py in which its maxima over the source take part;
# those left out do not depend on the model's interface, and its own widths take minutes. The paper's start
# saturates 9 + 7 layers (docs/models.md 2.6): no gradient is left that two precisions could agree on.
set -e
option=${1:-}
matrix() { python3 "$(dirname "$0")/matrix.py" $option "$@"; }
matrix deepatt/ed-9-7 "train, validate" "stop, resume"
matrix deepatt/ed-9-7-small-data "train, validate" "stop, resume" processes bf16 "beam, n-best" sample recordings PosUnk score interventions
