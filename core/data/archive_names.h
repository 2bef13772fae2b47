#pragma once
#include <archive_entry.h>

#include <clocale>
#include <cstdint>
#include <string>

namespace strata {

// While an object exists, this thread's C library takes text for UTF-8, whatever the user's locale
// is: libarchive drops names that this locale does not have.
class Utf8Locale {
 public:
  Utf8Locale();
  ~Utf8Locale();
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t before_;
};

// The name of an archive's file `number` (from 1), within a Utf8Locale; without "./" at its start.
// Names that are not UTF-8 are taken for code page 437, as in zip archives that do not say; one
// that cannot be read is "unnamed-NUMBER".
std::string memberName(archive_entry* entry, std::int64_t number);

}  // namespace strata
