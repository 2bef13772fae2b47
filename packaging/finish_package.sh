#!/usr/bin/env bash
# Finishes a package's files; cmake/finish_package.cmake calls it: finish_package.sh GENERATOR FOLDER VERSION CONTACT
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
generator=$1 folder=$2 version=$3 contact=$4
date=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}

if [ "$generator" = DEB ]; then
  share=$folder/usr/share
  mkdir -p "$share/lintian/overrides"
  install -m 644 "$source/packaging/debian/lintian-overrides" "$share/lintian/overrides/strata"
  mv "$share/zsh/site-functions" "$share/zsh/vendor-completions"  # where Debian's zsh looks
  gzip -9n <"$source/CHANGELOG.md" >"$share/doc/strata/changelog.gz"
  printf 'strata (%s) stable; urgency=medium\n\n  * See changelog.gz for what has changed.\n\n -- %s  %s\n' "$version" "$contact" \
    "$(LC_ALL=C date -uRd "@$date")" | gzip -9n >"$share/doc/strata/changelog.Debian.gz"
fi
chmod -R u=rwX,go=rX "$folder"
find "$folder" -exec touch --no-dereference --date="@$date" {} +
