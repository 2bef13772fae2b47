#include "core/data/sentences.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/text_limits.h"
#include "core/data/markup.h"

namespace strata {
namespace {

SentenceText textOfSegments(const SegmentFile& file, const SegmentText& text) {
  SentenceText result{.name = file.name, .lines = {}};
  for (const Segment& segment : text.segments) {
    result.lines.push_back(segment.text);
    result.keys.push_back(segment.key);
  }
  if (!areComplete(result.keys)) result.keys.clear();
  for (const std::string& note : text.notes) spdlog::warn("{}", note);
  return result;
}

std::vector<std::string> languagesOfSegments(LineSource& lines) {
  const SegmentFile file = readSegments(lines, /*keepEntities=*/false);
  std::vector<std::string> languages;
  for (const TextRole role : {TextRole::kSource, TextRole::kReference}) {
    for (const SegmentText& text : file.texts) {
      if (text.role != role || !isLanguageCode(text.language)) continue;
      languages.push_back(text.language);
      break;
    }
  }
  return languages;
}

// The header's srclang, then the others of the first unit.
std::vector<std::string> languagesOfTmx(LineSource& lines) {
  MarkupReader reader(lines);
  std::vector<std::string> languages;
  std::string source;
  for (MarkupTag tag; reader.next(tag) && !(tag.name == "tu" && tag.closing);) {
    if (tag.opens("header")) source = tag.attribute("srclang");
    if (!tag.opens("tuv")) continue;
    const std::string language = tag.attribute(tag.has("xml:lang") ? "xml:lang" : "lang");
    const bool first = isSameCode(language, source);
    languages.insert(first ? languages.begin() : languages.end(), language);
  }
  return languages;
}

// The keys of the first object that may be languages.
std::vector<std::string> languagesOfJson(LineSource& lines) {
  std::string_view line;
  if (!lines.next(line)) return {};
  const std::optional<Json> value = tryParseJson(line);
  if (!value || !value->is_object()) return {};
  const auto translation = value->find("translation");
  const bool nested = translation != value->end() && translation->is_object();
  std::vector<std::string> languages;
  for (const auto& [key, text] : (nested ? *translation : *value).items()) {
    if (text.is_string() && isLanguageCode(key)) languages.push_back(key);
  }
  return languages;
}

}  // namespace

TextInput SentenceOptions::input(const std::string& location, TextRole role) const {
  const bool source = role == TextRole::kSource;
  const bool table = format == TextFormat::kTsv || formatByName(location) == TextFormat::kTsv;
  TextInput input{.location = location,
                  .format = format,
                  .column = !table   ? 0
                            : source ? sourceColumn
                                     : targetColumn};
  input.choice = {.role = role,
                  .language = source ? sourceLanguage : targetLanguage,
                  .otherLanguage = source ? targetLanguage : sourceLanguage,
                  .version = role == TextRole::kOutput ? system : translator};
  return input;
}

SentenceText allSentences(LineSource& lines) {
  SentenceText text{.name = lines.name(), .lines = {}};
  for (std::string_view line; lines.next(line);) text.lines.emplace_back(line);
  if (SegmentLines* segments = lines.segments(); segments != nullptr) {
    text.keys = segments->keys();
    if (!areComplete(text.keys)) text.keys.clear();
  }
  return text;
}

SentenceText readSentences(const TextInput& input) {
  return allSentences(*openLines(input));
}

std::vector<SentenceText> readAllSentences(const TextInput& input) {
  auto lines = std::make_unique<TextLines>(input.location);
  const TextFormat format = formatOf(*lines, input);
  std::vector<SentenceText> texts;
  if (format != TextFormat::kSegments) {
    texts.push_back(allSentences(*sentencesOf(std::move(lines), format, input, /*quiet=*/false)));
    return texts;
  }
  const SegmentFile file = readSegments(*lines, input.keepEntities);
  for (const std::string& note : file.notes) spdlog::warn("{}", note);
  for (const SegmentText* text : chosenTexts(file, input.choice))
    texts.push_back(textOfSegments(file, *text));
  return texts;
}

std::vector<std::string> versionsIn(const TextInput& input) {
  TextLines lines(input.location, /*quiet=*/true);
  if (formatOf(lines, input) != TextFormat::kSegments) return {input.choice.version};
  const SegmentFile file = readSegments(lines, input.keepEntities);
  std::vector<std::string> versions;
  for (const SegmentText* text : chosenTexts(file, input.choice)) versions.push_back(text->version);
  return versions;
}

std::vector<std::string> languagesIn(const std::string& location) {
  try {
    TextLines lines(location, /*quiet=*/true);
    switch (formatOf(lines)) {
      case TextFormat::kSegments:
        return languagesOfSegments(lines);
      case TextFormat::kTmx:
        return languagesOfTmx(lines);
      case TextFormat::kJsonLines:
        return languagesOfJson(lines);
      default:
        return {};
    }
  } catch (const Error&) {
    return {};  // whoever reads the file is told
  }
}

void putInOrder(const SentenceText& first, SentenceText& text) {
  const auto order = orderLike({first.name, first.keys}, {text.name, text.keys});
  if (order.empty()) return;
  std::vector<std::string> lines;
  for (const std::size_t from : order) lines.push_back(std::move(text.lines[from]));
  text.lines = std::move(lines);
  text.keys = first.keys;
  spdlog::warn("{}: put into the order of {}, by document and segment", text.name, first.name);
}

}  // namespace strata
