# Deep-ED, which has 9 + 7 layers in every preset: the rows of matrix.py in which its maxima over the source take part. All
# rows take more than seven minutes of two cores; those left out do not depend on the model's interface.
exec python3 "$(dirname "$0")/matrix.py" deepatt/ed-9-7 "train, validate" "stop, resume" bf16 "beam, n-best" sample recordings PosUnk score interventions
