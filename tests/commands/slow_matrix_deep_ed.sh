# The same as matrix_deep_ed.sh in the presets' own widths.
exec bash "$(dirname "$0")/matrix_deep_ed.sh" --own-widths
