#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/store/run_session.h"

namespace strata {
namespace {

class JsonLinesSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit JsonLinesSink(const std::filesystem::path& file) : out_(file, std::ios::app) {
    if (!out_) throw Error("cannot write {}", file.string());
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const auto since = message.time.time_since_epoch();
    const auto level = spdlog::level::to_string_view(message.level);
    const Json line{{"time", std::chrono::duration<double>(since).count()},
                    {"level", std::string(level.data(), level.size())},
                    {"text", std::string(message.payload.data(), message.payload.size())}};
    out_ << line.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace) << '\n';
    out_.flush();
  }
  void flush_() override { out_.flush(); }

 private:
  std::ofstream out_;
};

RunLogLine lineFrom(const std::string& text) {
  const Json json = tryParseJson(text).value_or(nullptr);
  try {
    return {json.at("time"), json.at("level"), json.at("text")};
  } catch (const Json::exception&) {
    return {0, "info", text};
  }
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& runFolder)
    : sink_(std::make_shared<JsonLinesSink>(runFolder / "log.jsonl")) {
  spdlog::default_logger()->sinks().push_back(sink_);
}

RunLog::~RunLog() {
  std::erase(spdlog::default_logger()->sinks(), sink_);
}

std::vector<RunLogLine> readRunLog(const std::filesystem::path& runFolder, std::uint64_t& offset) {
  std::vector<RunLogLine> lines;
  std::ifstream in(runFolder / "log.jsonl", std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  while (std::getline(in, line) && !in.eof()) {
    offset += line.size() + 1;
    lines.push_back(lineFrom(line));
  }
  return lines;
}

}  // namespace strata
