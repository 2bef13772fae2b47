#include "ui/data/log_watch.h"

#include "core/store/run_session.h"
#include "ui/data/text.h"

namespace strata::ui {

void LogWatch::read(OpenWorkspace& open, const Send<News>& send) {
  const RunRow* row = open.runs.find(run_);
  if (!row) return;
  const bool first = offset_ == 0;
  News news{.run = run_, .lines = {}};
  for (const RunLogLine& line : readRunLog(toStd(row->folder), offset_))
    news.lines << LogLine{line.time, qs(line.level), qs(line.text)};
  if (first || !news.lines.isEmpty()) send(std::move(news));
}

}  // namespace strata::ui
