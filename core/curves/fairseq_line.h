#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// One line of figures in a log of fairseq.
struct FairseqLine {
  enum class Kind {
    kUpdates,  // the mean over the updates since the last such line ("train_inner")
    kEpoch,    // the mean over an epoch ("train")
    kSubset    // a validation
  };

  Kind kind = Kind::kUpdates;
  std::string subset = {};       // of kSubset: "valid"
  double time = 0;               // seconds since 1970; 0: the line has none
  std::optional<int> rank = {};  // of the process that wrote it, if the line says it
  double epoch = -1;             // epochs done, of kUpdates; -1: the line does not say it
  std::vector<std::pair<std::string, double>> values = {};  // by fairseq's names

  std::optional<double> value(std::string_view name) const;
};

// The figures of a line as `--log-format json` or `simple` writes it, to `--log-file` or after what
// loggers and launchers put before it. None: it is another line.
std::optional<FairseqLine> fairseqLine(std::string_view line);

}  // namespace strata
