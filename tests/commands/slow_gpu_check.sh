# The same as gpu_check.sh in the presets' own widths.
exec bash "$(dirname "$0")/gpu_check.sh" ''
