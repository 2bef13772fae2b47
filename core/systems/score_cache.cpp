#include "core/systems/score_cache.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/replacing_file.h"

namespace strata {
namespace {

// Increased whenever a metric's rows change, so that entries of older programs are ignored.
constexpr int kFormulas = 1;
constexpr std::string_view kMagic = "STRATASR";
constexpr std::string_view kExtension = ".rows";
constexpr std::string_view kPartial = ".partial";

// An entry: magic, width and sentences (uint64), XXH3-128 (32 hexadecimal digits) of key, width,
// sentences and rows, then the rows as doubles. All in this computer's byte order: the cache is not
// portable, and a foreign one fails its digest.
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kHeaderBytes = 8 + 2 * sizeof(std::uint64_t) + kDigestBytes;

std::string_view bytesOf(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

// Each text is preceded by its length, so that texts cannot run into each other.
void addText(Digest& digest, std::string_view text) {
  const std::uint64_t size = text.size();
  digest.add({reinterpret_cast<const char*>(&size), sizeof size});
  digest.add(text);
}

std::string keyOf(const Metric& metric, std::span<const std::string> hypotheses,
                  const std::string& references) {
  Digest digest;
  for (const std::string& line : hypotheses) addText(digest, line);
  const std::string lines = digest.hex();
  Digest key;
  addText(key, lines);
  addText(key, references);
  addText(key, metric.name());
  addText(key, metric.signature());
  addText(key, fmt::format("{} {} {}", kFormulas, metric.width(), hypotheses.size()));
  return key.hex();
}

// What an entry starts with that has as many rows as these, with `values`.
std::string headerOf(const std::string& key, const MetricRows& rows, std::string_view values) {
  const std::array<std::uint64_t, 2> sizes{rows.width, rows.sentences()};
  const std::string_view numbers(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  Digest digest;
  digest.add(key);
  digest.add(numbers);
  digest.add(values);
  return std::string(kMagic).append(numbers).append(digest.hex());
}

std::optional<MetricRows> readEntry(const fs::path& file, const std::string& key,
                                    const Metric& metric) {
  MetricRows rows = MetricRows::zeros(metric.sentences(), metric.width());
  try {
    const MappedFile mapped(file);
    const std::string_view content = mapped.view();
    if (content.size() != kHeaderBytes + rows.values.size() * sizeof(double)) return {};
    const std::string_view values = content.substr(kHeaderBytes);
    if (!content.starts_with(headerOf(key, rows, values))) return {};
    std::memcpy(rows.values.data(), values.data(), values.size());
  } catch (const Error&) {
    return {};  // there is none
  }
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // time of last use
  return rows;
}

// Not synced: an entry damaged by a crash fails its digest.
void writeEntry(const fs::path& file, const std::string& key, const MetricRows& rows) {
  try {
    ReplacingFile entry(file);
    const std::string_view values = bytesOf(rows.values);
    entry.write(headerOf(key, rows, values));
    entry.write(values);
    entry.replace();
  } catch (const Error& error) {
    spdlog::debug("{}; scores will be computed again next time", error.what());
  }
}

}  // namespace

ScoreCache::ScoreCache(const Workspace& workspace)
    : folder_(workspace.root() / "cache" / "scores") {}

MetricRows ScoreCache::rows(const Metric& metric, std::span<const std::string> hypotheses,
                            const std::string& references, int threads) const {
  checkSameLines(hypotheses.size(), metric.sentences());
  if (metric.width() == 0 || hypotheses.empty()) return compareAll(metric, hypotheses, threads);
  const std::string key = keyOf(metric, hypotheses, references);
  const fs::path file = folder_ / (key + std::string(kExtension));
  if (auto known = readEntry(file, key, metric)) return std::move(*known);
  MetricRows computed = compareAll(metric, hypotheses, threads);
  writeEntry(file, key, computed);
  return computed;
}

void ScoreCache::trim(std::uintmax_t bytes) const {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code failed;
  for (const auto& file : fs::directory_iterator(folder_, failed)) {
    const auto used = file.last_write_time(failed);
    if (failed) continue;
    const std::string name = file.path().filename().string();
    // Left by a process that was killed while writing.
    if (name.find(kPartial) != name.npos && now - used > std::chrono::hours(1))
      fs::remove(file.path(), failed);
    if (!name.ends_with(kExtension)) continue;
    const auto size = file.file_size(failed);
    if (failed) continue;
    entries.push_back({used, size, file.path()});
    total += size;
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= bytes) return;
    if (fs::remove(entry.path, failed)) total -= entry.bytes;
  }
}

}  // namespace strata
