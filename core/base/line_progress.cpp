#include "core/base/line_progress.h"

#include <chrono>
#include <cstdio>

#include "core/base/json.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

class Lines : public Progress {
 public:
  void begin(std::string_view what, std::int64_t total, std::string_view unit) override {
    line_ = {std::string(what), std::string(unit), 0, total};
    write();
  }
  void advance(std::int64_t done) override {
    line_.done = done;
    if (Clock::now() - written_ >= std::chrono::milliseconds(200)) write();
  }
  void end() override { write(); }

 private:
  using Clock = std::chrono::steady_clock;

  void write() {
    written_ = Clock::now();
    const Json json = {{"progress", line_.what},
                       {"done", line_.done},
                       {"total", line_.total},
                       {"unit", line_.unit}};
    std::fputs((json.dump() + "\n").c_str(), stderr);
    std::fflush(stderr);
  }

  ProgressLine line_;
  Clock::time_point written_;
};

}  // namespace

std::unique_ptr<Progress> lineProgress() {
  return std::make_unique<Lines>();
}

std::optional<ProgressLine> lastProgress(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    text = text.substr(0, end + 1);
    const auto start = text.rfind('\n');
    const std::string_view line = text.substr(start == std::string_view::npos ? 0 : start + 1);
    text = text.substr(0, start == std::string_view::npos ? 0 : start);
    if (!line.starts_with("{\"progress\":")) continue;
    const auto json = tryParseJson(std::string(line));
    if (!json || !json->is_object()) continue;  // still being written
    return ProgressLine{json->value("progress", ""), json->value("unit", ""),
                        json->value("done", std::int64_t{0}),
                        json->value("total", std::int64_t{0})};
  }
  return {};
}

}  // namespace strata
