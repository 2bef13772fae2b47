# The same as matrix_deepatt.sh in the presets' own widths.
exec bash "$(dirname "$0")/matrix_deepatt.sh" --own-widths
