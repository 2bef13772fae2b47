// Shared by tests of several folders: files with known content, and the message of an error.
#pragma once
#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"

namespace strata {

inline void put(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// Lines without line ends; an empty rest after the last line end is not a line.
inline std::vector<std::string> linesOf(const fs::path& path) {
  std::vector<std::string> lines;
  const std::string text = readFile(path);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// The folders with references of one kind, such as metrics or models/optim: the checkout's
// own, which a test cannot do without, and that of the larger set next to the checkout, where there
// is one.
inline std::vector<fs::path> referenceFolders(const std::string& kind) {
  const fs::path own = fs::path(STRATA_SOURCE_DIR) / "tests/references" / kind;
  if (!fs::is_directory(own))
    throw Error("no folder " + own.string() + ": the checkout is not whole, fetch it again");
  std::vector<fs::path> folders{own};
  const fs::path larger = fs::path(STRATA_SHARED_DIR) / "fixtures" / kind;
  if (fs::is_directory(larger)) folders.push_back(larger);
  return folders;
}

// The message of the Error that a call throws; empty if it throws none.
inline std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The same of a call that must throw a usage error.
inline std::string usageErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kUsage ? error.what() : "not a usage error";
  }
  return "no error";
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
// Fails, printing the text, if it does not contain the part.
#define QHOLDS(text, part)                                 \
  do {                                                     \
    const std::string held_ = (text);                      \
    QVERIFY2(::strata::holds(held_, part), held_.c_str()); \
  } while (false)

}  // namespace strata
