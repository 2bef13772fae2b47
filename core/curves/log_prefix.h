#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/string_map.h"
#include "core/curves/curve_input.h"

namespace strata {

// What loggers and launchers add to the lines of a program.

// The next line as the program has written it: without ANSI escape sequences, a byte order mark and
// the zero bytes that text of UTF-16 has between its letters. False at the end of the file.
bool nextLogLine(CurveInput& input, std::string& line);

// What stands before a message.
struct LogPrefix {
  double time = 0;               // seconds since 1970; 0: there is none
  std::optional<int> rank = {};  // of the process
};

// Reads a time as takeTime does, wherever it stands, and a label of the process: "[rank0]:",
// "[default0]:", "rank 0:", "[1,0]<stdout>:", and "0:" or " 0:" at the beginning (srun --label).
LogPrefix logPrefix(std::string_view text);

// Whether a message can begin at this place of a line: at its beginning, or after a blank or a sign
// that ends a prefix.
bool canBegin(std::string_view line, std::size_t at);

// Of several processes that print the same figures one counts: rank 0, or else the first one seen.
// Lines without a label always count.
class RankChoice {
 public:
  enum class Use {
    kTake,
    kSkip,
    kReplace  // and forget what another process has said of it before
  };
  // `what`: the kind of the line's figures.
  Use useOf(std::string_view what, std::optional<int> rank);

  // Whether `at` is a place in a line, not npos, and no label before it is of another process than
  // those that count.
  bool saysAt(std::string_view line, std::size_t at) const;

  // One sentence if lines of other processes were left out; else empty.
  std::string note() const;

 private:
  StringMap<int> chosen_;
  std::int64_t skipped_ = 0;
};

}  // namespace strata
