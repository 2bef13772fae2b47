#pragma once
#include <cstdint>

#include "ui/data/any_watch.h"

namespace strata::ui {

// Reads the log of a run from its beginning, then new lines.
class LogWatch {
 public:
  struct News {
    qint64 run = 0;
    QVector<LogLine> lines;  // at first perhaps none
  };
  static constexpr bool kAlways = true;  // a log may grow without the index

  explicit LogWatch(qint64 run) : run_(run) {}  // 0: none
  void read(OpenWorkspace& open, const Send<News>& send);

 private:
  qint64 run_;
  std::uint64_t offset_ = 0;  // bytes
};

}  // namespace strata::ui
