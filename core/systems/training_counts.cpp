#include "core/systems/training_counts.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <string_view>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/corpus.h"
#include "core/data/dataset.h"
#include "core/text/line_stream.h"

namespace strata {
namespace {

constexpr std::size_t kDigestDigits = 32;

// The digest of the rest, then one "COUNT WORD" per line. A damaged or missing file counts as none.
std::optional<WordCounts> readCounts(const fs::path& file) {
  std::string content;
  try {
    content = readFile(file);
  } catch (const Error&) {
    return {};
  }
  if (content.size() <= kDigestDigits) return {};
  const std::string_view rest = std::string_view(content).substr(kDigestDigits + 1);
  if (!content.starts_with(digestOf(rest))) return {};
  WordCounts counts;
  for (std::size_t begin = 0; begin < rest.size();) {
    const std::string_view line = rest.substr(begin, rest.find('\n', begin) - begin);
    begin += line.size() + 1;
    std::int64_t count = 0;
    const char* end = std::from_chars(line.data(), line.data() + line.size(), count).ptr;
    counts.emplace(line.substr(static_cast<std::size_t>(end - line.data()) + 1), count);
  }
  return counts;
}

void writeCounts(const fs::path& file, const WordCounts& counts) {
  std::string text;
  for (const auto& [word, count] : counts) text += fmt::format("{} {}\n", count, word);
  try {
    writeFileAtomic(file, digestOf(text) + "\n" + text);
  } catch (const Error& error) {
    spdlog::debug("{}; words will be counted again next time", error.what());
  }
}

std::optional<WordCounts> countTraining(const TestSet& set, const TextPipeline& pipeline) {
  const fs::path& file = set.trainTokens.empty() ? set.trainCorpus : set.trainTokens;
  if (!file.empty())
    Dataset(file.parent_path()).requireIntact(noProgress(), file.filename().string());
  WordCounts counts;
  if (!set.trainTokens.empty()) {
    LineReader text(set.trainTokens);
    for (std::string_view line; text.next(line);) countWords(line, counts);
    return counts;
  }
  if (set.trainCorpus.empty()) return {};
  const Corpus corpus(set.trainCorpus);
  for (std::int64_t pair = 0; pair < corpus.pairs(); ++pair) {
    countWords(pipeline.tokensOf(Side::kTarget, corpus.ids(CorpusSide::kTarget, pair).toVector()),
               counts);
  }
  // If words are missing from the ids, they are not the text.
  if (counts.contains("<unk>")) return {};
  return counts;
}

}  // namespace

std::optional<WordCounts> trainingCounts(const Workspace& workspace, const TestSet& set,
                                         const TextPipeline& pipeline) {
  if (set.datasetDigest.empty()) return {};
  const fs::path file =
      pathInside(workspace.root(), fs::path("cache") / "counts" / (set.datasetDigest + ".target"));
  if (auto known = readCounts(file)) return known;
  auto counts = countTraining(set, pipeline);
  if (counts && counts->empty()) counts.reset();
  if (counts) writeCounts(file, *counts);
  return counts;
}

}  // namespace strata
