// What the verbs effects, readers and layers have measured a model on, and how their results lie in
// a run's folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace strata {

// Equal ones have equal results.
struct MeasuredOn {
  std::string checkpoint = {};                   // "step-00012000"
  std::string set = {};                          // of the run's dataset
  std::int64_t sentences = 0, setSentences = 0;  // the set's first ones, of all that it has
  std::string model = {}, dataset = {};          // digests

  bool operator==(const MeasuredOn&) const = default;

  bool isWhole() const { return sentences == setSentences; }
  // Whether these are the sentences that a limit asks for; 0: all.
  bool hasLimit(std::int64_t limit) const;
  std::string fileStem() const;  // CHECKPOINT.SET.SENTENCES
};

// Members of a report: checkpoint, set, limit, set_sentences, model and dataset.
void addMembers(Json& report, const MeasuredOn& on);
// Throws nlohmann's exceptions if one is missing or has another type.
MeasuredOn measuredOnFrom(const Json& report);

// Replaced atomically; its folder is made if need be.
void storeReport(const std::filesystem::path& file, const Json& report);
// Gives `read` the reports of this format in a folder, ordered by file name. A damaged one, or one
// that `read` throws at, counts as none: it is measured anew.
void readReports(const std::filesystem::path& folder, int format,
                 const std::function<void(const Json& report)>& read);

}  // namespace strata
