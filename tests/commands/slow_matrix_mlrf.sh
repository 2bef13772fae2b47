# The same as matrix_mlrf.sh in the presets' own widths.
exec bash "$(dirname "$0")/matrix_mlrf.sh" --own-widths
