#include "core/inside/measured_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/base/files.h"

namespace strata {

bool MeasuredOn::hasLimit(std::int64_t limit) const {
  return sentences == (limit > 0 ? std::min(limit, setSentences) : setSentences);
}

std::string MeasuredOn::fileStem() const {
  return fmt::format("{}.{}.{}", checkpoint, set, sentences);
}

void addMembers(Json& report, const MeasuredOn& on) {
  report["checkpoint"] = on.checkpoint;
  report["set"] = on.set;
  report["limit"] = on.sentences;
  report["set_sentences"] = on.setSentences;
  report["model"] = on.model;
  report["dataset"] = on.dataset;
}

MeasuredOn measuredOnFrom(const Json& report) {
  return {.checkpoint = report.at("checkpoint"),
          .set = report.at("set"),
          .sentences = report.at("limit"),
          .setSentences = report.at("set_sentences"),
          .model = report.at("model"),
          .dataset = report.at("dataset")};
}

void storeReport(const std::filesystem::path& file, const Json& report) {
  std::filesystem::create_directories(file.parent_path());
  writeFileAtomic(file, report.dump());
}

void readReports(const std::filesystem::path& folder, int format,
                 const std::function<void(const Json& report)>& read) {
  if (!std::filesystem::is_directory(folder)) return;
  for (const std::string& name : namesIn(folder)) {
    if (!name.ends_with(".json")) continue;
    try {
      const Json report = parseJson(readFile(folder / name), name);
      if (report.at("format") == format) read(report);
    } catch (const std::exception&) {
      continue;
    }
  }
}

}  // namespace strata
