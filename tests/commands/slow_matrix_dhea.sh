# The same as matrix_dhea.sh in the presets' own widths.
exec bash "$(dirname "$0")/matrix_dhea.sh" --own-widths
