#include "core/store/looks.h"

#include <algorithm>
#include <cctype>

#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"

namespace strata {

void recordTestLook(Workspace& workspace, const TestLook& look) {
  const Json event{{"type", "look"},
                   {"time", look.time > 0 ? look.time : nowSeconds()},
                   {"dataset", look.dataset},
                   {"set", look.set},
                   {"checkpoint", look.checkpoint},
                   {"settings", look.settings},
                   {"scores", look.scores}};
  if (look.run > 0) return appendToRun(workspace, look.run, event);
  appendRecords(workspace.root() / kLooksLog, {eventRecord(event)});
  indexLooks(workspace);
}

std::vector<TestLook> listTestLooks(Workspace& workspace, std::int64_t run) {
  Query rows(workspace.database(),
             "SELECT time, COALESCE(run, 0), dataset, set_name, checkpoint, settings, scores FROM "
             "looks WHERE ?1 < 0 OR COALESCE(run, 0) = ?1 ORDER BY time, rowid",
             run);
  return rows.all([](Query& row) {
    return TestLook{.time = row.number(0),
                    .run = row.integer(1),
                    .dataset = row.text(2),
                    .set = row.text(3),
                    .checkpoint = row.text(4),
                    .settings = parseJson(row.text(5), "a look's settings"),
                    .scores = parseJson(row.text(6), "a look's scores")};
  });
}

bool isTestSet(const std::string& set) {
  std::string lower = set;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (auto at = lower.find("test"); at != std::string::npos; at = lower.find("test", at + 1)) {
    const bool starts = at == 0 || !std::isalpha(static_cast<unsigned char>(lower[at - 1]));
    const bool ends =
        at + 4 == lower.size() || !std::isalpha(static_cast<unsigned char>(lower[at + 4]));
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace strata
