#include "core/text/pipeline.h"

#include <algorithm>
#include <optional>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text_limits.h"
#include "core/text/bpe.h"
#include "core/text/casing.h"
#include "core/text/detokenizer.h"
#include "core/text/language.h"
#include "core/text/segmentation.h"
#include "core/text/tokenizer.h"
#include "core/text/truecaser.h"

namespace strata {
namespace {

constexpr std::string_view kDescriptionFile = "pipeline.yaml";
constexpr std::string_view kSealFile = "pipeline.digest";
// Format 2 has the keys "segmenter" and "casing". Text without either step has format 1, in which
// Turkish text, too, is lower-cased by Moses's rules.
constexpr std::int64_t kFormat = 1, kNewestFormat = 2;
constexpr std::array<std::string_view, 2> kSides{"source", "target"};

// The optional files of a side: key in pipeline.yaml, prefix of the file name, content.
struct SideFile {
  std::string_view key, stem;
  std::string PipelineSide::*content;
};
constexpr std::array<SideFile, 3> kSideFiles{
    SideFile{"codes", "codes", &PipelineSide::codes},
    SideFile{"bpe_vocabulary", "bpe-vocabulary", &PipelineSide::bpeVocabulary},
    SideFile{"truecaser", "truecaser", &PipelineSide::truecaser}};

std::string fileName(std::string_view stem, std::size_t side) {
  return std::string(stem) + "." + std::string(kSides[side]);
}

Json fileEntry(const std::string& name, std::string_view content) {
  return {{"file", name}, {"digest", digestOf(content)}};
}

const Json& member(const Json& object, std::string_view key, const std::string& where) {
  const auto found = object.is_object() ? object.find(std::string(key)) : object.end();
  if (!object.is_object() || found == object.end())
    throw Error("{}: \"{}\" is missing", where, key);
  return *found;
}

template <typename T>
T value(const Json& object, std::string_view key, const std::string& where) {
  try {
    return member(object, key, where).get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error("{}: \"{}\" has a value of the wrong type", where, key);
  }
}

// The content of a file that the description names, verified by its digest.
std::string readEntry(const Json& entry, const fs::path& folder, const std::string& where) {
  const fs::path path = pathInside(folder, value<std::string>(entry, "file", where));
  std::string content = readFile(path);
  if (digestOf(content) != value<std::string>(entry, "digest", where)) {
    throw Error(
        "{} is not the file that {} was written with: its digest differs; restore it or prepare "
        "the dataset again",
        path.string(), where);
  }
  return content;
}

// The steps that only format 2 has.
void readNewSteps(const Json& json, const std::string& where, PipelineSide& side) {
  if (json.contains("casing")) side.casing = value<std::string>(json, "casing", where);
  if (side.casing != casingOf(side.casing))
    throw Error("{}: unknown casing \"{}\"", where, side.casing);
  if (side.tokenizer != "icu") return;
  side.segmenter = value<std::string>(json, "segmenter", where);
  if (side.segmenter == segmenterVersion()) return;
  spdlog::warn(
      "{}: {} text was split into words by {}, but here by {}: some words may not be those that "
      "models of this text know",
      where, side.language, side.segmenter, segmenterVersion());
}

PipelineSide readSide(const Json& json, const fs::path& folder, const std::string& where) {
  PipelineSide side;
  side.language = value<std::string>(json, "language", where);
  side.tokenizer = value<std::string>(json, "tokenizer", where);
  side.lowercase = value<bool>(json, "lowercase", where);
  readNewSteps(json, where, side);
  side.bpeThreshold = value<std::int64_t>(json, "bpe_threshold", where);
  for (const SideFile& file : kSideFiles) {
    const Json& entry = member(json, file.key, where);
    if (!entry.is_null()) side.*file.content = readEntry(entry, folder, where);
  }
  const Json& vocabulary = member(json, "vocabulary", where);
  side.vocabulary =
      Vocabulary::parse(readEntry(vocabulary, folder, where),
                        (folder / value<std::string>(vocabulary, "file", where)).string());
  return side;
}

std::string sealOf(std::string_view description) {
  return digestOf(description) + "\n";
}

Json readDescription(const fs::path& folder) {
  const fs::path path = folder / kDescriptionFile;
  const std::string text = readBounded(path, kYamlLimits.bytes);
  if (fs::exists(folder / kSealFile) && readFile(folder / kSealFile) != sealOf(text)) {
    throw Error(
        "{} is damaged or was changed by hand: it does not match {}; restore it, or resume "
        "its run, which copies it from the dataset",
        path.string(), kSealFile);
  }
  Json description = parseYaml(text, path.string()).value;
  const auto format = value<std::int64_t>(description, "format", path.string());
  if (format < kFormat || format > kNewestFormat)
    throw Error("{}: unknown format {}; expected {} to {}", path.string(), format, kFormat,
                kNewestFormat);
  return description;
}

}  // namespace

// The steps of a side's text; absent steps are empty.
struct TextPipeline::Steps {
  explicit Steps(PipelineSide description) : side(std::move(description)) {
    checkTokenizer(side.tokenizer);
    if (side.lowercase && !side.truecaser.empty()) {
      throw usageError("text can be lower-cased or truecased, not both");
    }
    if (side.tokenizer == "icu" && side.segmenter.empty()) side.segmenter = segmenterVersion();
    if (side.tokenizer == "moses") {
      tokenizer.emplace(TokenizerOptions{.language = side.language});
      detokenizer.emplace(DetokenizerOptions{.language = side.language});
    }
    if (!side.truecaser.empty())
      truecaser = Truecaser::parse(side.truecaser, "truecaser of " + side.language, side.casing);
    if (side.codes.empty()) return;
    bpe.emplace(side.codes, "codes of " + side.language);
    if (!side.bpeVocabulary.empty()) {
      bpe->setVocabulary(parseBpeVocabulary(
          side.bpeVocabulary, "BPE vocabulary of " + side.language, side.bpeThreshold));
    }
  }

  PipelineSide side;
  std::optional<Tokenizer> tokenizer;
  std::optional<Detokenizer> detokenizer;
  std::optional<Truecaser> truecaser;
  std::optional<Bpe> bpe;
};

TextPipeline::TextPipeline(PipelineSide source, PipelineSide target)
    : steps_{std::make_unique<Steps>(std::move(source)),
             std::make_unique<Steps>(std::move(target))} {}
TextPipeline::~TextPipeline() = default;
TextPipeline::TextPipeline(TextPipeline&&) noexcept = default;
TextPipeline& TextPipeline::operator=(TextPipeline&&) noexcept = default;

TextPipeline TextPipeline::load(const std::filesystem::path& folder) {
  const Json description = readDescription(folder);
  const std::string where = (folder / kDescriptionFile).string();
  return {readSide(member(description, "source", where), folder, where),
          readSide(member(description, "target", where), folder, where)};
}

void TextPipeline::save(const std::filesystem::path& folder) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PipelineSide& side = steps_[i]->side;
    for (const SideFile& file : kSideFiles) {
      if (!(side.*file.content).empty())
        writeFileAtomic(folder / fileName(file.stem, i), side.*file.content);
    }
    side.vocabulary.write(folder / fileName("vocabulary", i));
  }
  writeFileAtomic(folder / kDescriptionFile, toYaml(description()));
}

std::vector<std::filesystem::path> TextPipeline::files(const std::filesystem::path& folder) {
  const Json description = readDescription(folder);
  const std::string where = (folder / kDescriptionFile).string();
  std::vector<std::filesystem::path> names{std::filesystem::path(kDescriptionFile)};
  for (const std::string_view side : kSides) {
    for (const auto& [key, entry] : member(description, side, where).items()) {
      if (entry.is_object()) names.emplace_back(value<std::string>(entry, "file", where));
    }
  }
  return names;
}

void TextPipeline::seal(const fs::path& folder) {
  const std::string seal = sealOf(readFile(folder / kDescriptionFile));
  const fs::path path = folder / kSealFile;
  if (!fs::exists(path) || readFile(path) != seal) writeFileAtomic(path, seal);
}

Json TextPipeline::description() const {
  const bool newest = std::ranges::any_of(steps_, [](const auto& steps) {
    return !steps->side.segmenter.empty() || !steps->side.casing.empty();
  });
  Json description{{"format", newest ? kNewestFormat : kFormat}};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PipelineSide& side = steps_[i]->side;
    Json json{{"language", side.language},
              {"tokenizer", side.tokenizer},
              {"lowercase", side.lowercase},
              {"bpe_threshold", side.bpeThreshold}};
    if (!side.segmenter.empty()) json["segmenter"] = side.segmenter;
    if (!side.casing.empty()) json["casing"] = side.casing;
    for (const SideFile& file : kSideFiles) {
      const std::string& content = side.*file.content;
      json[std::string(file.key)] =
          content.empty() ? Json() : fileEntry(fileName(file.stem, i), content);
    }
    json["vocabulary"] = fileEntry(fileName("vocabulary", i), side.vocabulary.toText());
    description[std::string(kSides[i])] = std::move(json);
  }
  return description;
}

std::string TextPipeline::tokens(Side side, std::string_view raw) const {
  const Steps& steps = *steps_[static_cast<std::size_t>(side)];
  thread_local std::string scratch;
  std::string line(raw);
  const auto apply = [&](auto&& step) {
    step(line, scratch);
    line.swap(scratch);
  };
  if (steps.tokenizer)
    apply([&](const auto& in, auto& out) { steps.tokenizer->tokenize(in, out); });
  if (steps.side.tokenizer == "icu") apply([](const auto& in, auto& out) { segment(in, out); });
  if (steps.side.lowercase)
    apply([&](const auto& in, auto& out) { lowercaseIn(steps.side.casing, in, out); });
  if (steps.truecaser)
    apply([&](const auto& in, auto& out) { steps.truecaser->truecase(in, out); });
  return line;
}

std::string TextPipeline::units(Side side, std::string_view tokens) {
  Steps& steps = *steps_[static_cast<std::size_t>(side)];
  return steps.bpe ? steps.bpe->apply(tokens) : std::string(tokens);
}

std::vector<std::int32_t> TextPipeline::ids(Side side, std::string_view units) const {
  return vocabulary(side).encode(units);
}

std::vector<std::int32_t> TextPipeline::encode(Side side, std::string_view raw) {
  return ids(side, units(side, tokens(side, raw)));
}

std::string TextPipeline::joinUnits(Side side, std::string_view units) const {
  const Steps& steps = *steps_[static_cast<std::size_t>(side)];
  return steps.bpe ? Bpe::join(units) : std::string(units);
}

std::string TextPipeline::tokensOf(Side side, const std::vector<std::int32_t>& ids) const {
  return joinUnits(side, vocabulary(side).decode(ids));
}

std::string TextPipeline::text(Side side, std::string_view tokens) const {
  const Steps& steps = *steps_[static_cast<std::size_t>(side)];
  std::string line(tokens), scratch;
  if (steps.truecaser) {
    detruecaseIn(steps.side.casing, line, scratch);
    line.swap(scratch);
  }
  if (steps.side.tokenizer == "icu") {
    joinSegments(line, scratch);
    line.swap(scratch);
  }
  if (steps.detokenizer) {
    steps.detokenizer->detokenize(line, scratch);
    line.swap(scratch);
  }
  return line;
}

const PipelineSide& TextPipeline::side(Side side) const {
  return steps_[static_cast<std::size_t>(side)]->side;
}

const Vocabulary& TextPipeline::vocabulary(Side side) const {
  return steps_[static_cast<std::size_t>(side)]->side.vocabulary;
}

}  // namespace strata
