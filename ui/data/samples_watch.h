#pragma once
#include <optional>
#include <vector>

#include "core/store/runs.h"
#include "core/store/samples_size.h"
#include "ui/data/any_watch.h"

namespace strata::ui {

// Reads the sample translations of a run, and again at each validation.
class SamplesWatch {
 public:
  struct News {
    qint64 run = 0;
    std::vector<SampledSentence> sentences;
  };

  explicit SamplesWatch(qint64 run) : run_(run) {}  // 0: none
  void read(OpenWorkspace& open, const Send<News>& send);

 private:
  qint64 run_;
  std::optional<SamplesSize> sent_;  // none yet
};

}  // namespace strata::ui
