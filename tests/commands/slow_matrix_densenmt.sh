# The same as matrix_densenmt.sh in the presets' own widths.
exec bash "$(dirname "$0")/matrix_densenmt.sh" --own-widths
