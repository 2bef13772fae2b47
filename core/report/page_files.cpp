#include "core/report/page_files.h"

#include "core/base/error.h"
#include "embedded/pageFiles.h"

namespace strata {

std::string_view pageFile(std::string_view name) {
  for (const auto& [file, text] : embedded::pageFiles()) {
    if (file == name) return text;
  }
  throw Error("{}: the program was built without this file of resources/pages", name);
}

}  // namespace strata
