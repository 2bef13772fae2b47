#include "core/base/progress_line.h"

#include "core/base/json.h"
#include "core/base/text_limits.h"

namespace strata {

std::string toText(const ProgressLine& line) {
  return Json{
      {"progress", line.what}, {"done", line.done}, {"total", line.total}, {"unit", line.unit}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ProgressLine> progressLineFrom(std::string_view text) {
  if (!text.starts_with("{\"progress\":")) return {};
  const auto line = tryParseJson(std::string(text));
  if (!line || !line->is_object()) return {};
  for (const char* number : {"done", "total"}) {
    if (!line->contains(number) || !line->at(number).is_number_integer()) return {};
  }
  if (!line->at("progress").is_string() || !line->contains("unit") ||
      !line->at("unit").is_string()) {
    return {};
  }
  return ProgressLine{line->at("progress").get<std::string>(), line->at("unit").get<std::string>(),
                      line->at("done").get<std::int64_t>(), line->at("total").get<std::int64_t>()};
}

std::optional<ProgressLine> lastProgress(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    text = text.substr(0, end + 1);
    const auto start = text.rfind('\n');
    const std::string_view line = text.substr(start == std::string_view::npos ? 0 : start + 1);
    text = text.substr(0, start == std::string_view::npos ? 0 : start);
    if (const auto read = progressLineFrom(line)) return read;
  }
  return {};
}

}  // namespace strata
