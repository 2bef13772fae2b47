#include "ui/data/samples_watch.h"

namespace strata::ui {

void SamplesWatch::read(OpenWorkspace& open, const Send<News>& send) {
  if (!open.runs.find(run_)) return;
  const SamplesSize size = samplesSize(open.workspace, run_);
  if (sent_ == size) return;
  sent_ = size;
  send({run_, sampledSentences(open.workspace, run_)});
}

}  // namespace strata::ui
