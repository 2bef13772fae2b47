#include "core/base/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/progress_line.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

class Terminal : public Progress {
 public:
  void begin(std::string_view what, std::int64_t total, std::string_view unit) override {
    what_ = what;
    unit_ = unit;
    total_ = total;
    done_ = 0;
    start_ = Clock::now();
    drawn_ = start_ - std::chrono::seconds(1);
  }

  void advance(std::int64_t done) override {
    done_ = done;
    const auto now = Clock::now();
    if (now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    draw(now);
  }

  void end() override {
    draw(Clock::now());
    std::fputc('\n', stderr);
  }

 private:
  void draw(Clock::time_point now) const {
    constexpr int kWidth = 30;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    std::string line = fmt::format("\r\x1b[K{} ", what_);
    if (total_ > 0) {
      const int filled = static_cast<int>(kWidth * std::min(done_, total_) / total_);
      line += fmt::format("[{}{}] {:3.0f} %  ", std::string(static_cast<std::size_t>(filled), '='),
                          std::string(static_cast<std::size_t>(kWidth - filled), ' '),
                          100.0 * static_cast<double>(done_) / static_cast<double>(total_));
    }
    line += fmt::format("{} {}, {:.0f}/s", done_, unit_, rate);
    if (total_ > 0 && rate > 0 && done_ < total_) {
      line += fmt::format(", {} left", duration(static_cast<double>(total_ - done_) / rate));
    }
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }

  std::string what_, unit_;
  std::int64_t total_ = 0, done_ = 0;
  Clock::time_point start_, drawn_;
};

// Lines for a program that reads stderr: the first and the last state, and two per second between.
class Lines : public Progress {
 public:
  void begin(std::string_view what, std::int64_t total, std::string_view unit) override {
    line_ = {std::string(what), std::string(unit), 0, total};
    write();
  }

  void advance(std::int64_t done) override {
    line_.done = done;
    if (Clock::now() - written_ >= std::chrono::milliseconds(500)) write();
  }

  void end() override { write(); }

 private:
  void write() {
    written_ = Clock::now();
    std::fputs((toText(line_) + "\n").c_str(), stderr);
    std::fflush(stderr);
  }

  ProgressLine line_;
  Clock::time_point written_;
};

bool asLines() {
  const char* wanted = std::getenv(kProgressVariable);
  return wanted != nullptr && std::string_view(wanted) == kProgressAsLines;
}

}  // namespace

Progress& noProgress() {
  static Progress silent;
  return silent;
}

Progress& terminalProgress() {
  static Terminal terminal;
  static Lines lines;
  if (asLines()) return lines;
  if (::isatty(STDERR_FILENO) == 0) return noProgress();
  return terminal;
}

}  // namespace strata
