# For packaging/check.sh: tries the packages, installed and unpacked.
begin
needs_root
unset SOURCE_DATE_EPOCH  # of a build; fontconfig would take the caches that it makes here for outdated ones
[ ${#names[@]} -gt 0 ] || die "name the .deb, and the archive: see cpack in CONTRIBUTING.md" 2
for file in "${names[@]}"; do [ -f "$file" ] || die "$file: no such file" 2; done

# What apt and dpkg note about any package, and what caches of Debian's programs hold.
everything() {
  (cd "$work/$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./home/user/Strata -o -path ./var/cache -o -path ./var/lib/apt \
    -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp \) -prune -o -print | sort)
}

apt() {
  followed "$work/apt.log" chroot "$work/deb" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -qq -o Dpkg::Use-Pty=0 "$@"
  [ $status = 0 ] || { tail -20 "$work/apt.log" >&2; die "apt-get $* failed"; }
}
check_package() {
  bare deb
  add_user deb
  cp "$1" "$work/deb/tmp/strata.deb"
  apt update
  everything deb >"$work/before"
  apt install -y --no-install-recommends /tmp/strata.deb
  say "installed with $(chroot "$work/deb" dpkg-query -W | wc -l) packages on the system"
  demo deb /usr/bin:/bin
  say "the demo ran from the installed package; the window drew $pictures pictures"
  apt purge -y strata
  apt autoremove --purge -y
  everything deb >"$work/after"
  diff "$work/before" "$work/after" >"$work/left" || die "the purge leaves: $(cat "$work/left")"
  say "after the purge only ~/Strata is left"
}
check_archive() {
  bare archive
  add_user archive
  cp "$1" "$work/archive/home/user/archive"
  tar --extract --file "$work/archive/home/user/archive" --directory "$work/archive/home/user" --no-same-owner
  chroot "$work/archive" chown -R user: /home/user
  local folder
  folder=$(cd "$work/archive/home/user" && ls -d strata-*/)
  demo archive "/home/user/${folder}bin:/usr/bin:/bin"
  say "the demo ran from the archive, where nothing is installed; the window drew $pictures pictures"
}
for file in "${names[@]}"; do
  case "$file" in *.deb) check_package "$file" ;; *) check_archive "$file" ;; esac
done
