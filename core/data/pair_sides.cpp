#include "core/data/pair_sides.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/data/byte_source.h"

namespace strata {
namespace {

// What has been chosen for an input already stays.
void chooseSide(TextInput& input, const SentenceOptions& reading, TextRole role) {
  const TextInput usual = reading.input(input.location, role);
  if (input.format == TextFormat::kAuto) input.format = usual.format;
  if (input.column == 0) input.column = usual.column;
  if (input.choice.language.empty()) input.choice = usual.choice;
}

void chooseSides(PairInput& pair, const SentenceOptions& reading) {
  chooseSide(pair.source, reading, TextRole::kSource);
  for (TextInput& target : pair.targets) {
    chooseSide(target, reading, TextRole::kReference);
    if (target.location != pair.source.location) continue;
    target.choice.bothSides = pair.source.choice.bothSides = true;
  }
}

// The translators of a file. A pipe is not opened, since it can be read only once, and of a file
// that cannot be read the reader says what is wrong.
std::vector<std::string> versionsOf(const TextInput& target) {
  const std::vector<std::string> given{target.choice.version};
  std::error_code ignored;
  const bool regular = std::filesystem::is_regular_file(fileOfLocation(target.location), ignored);
  if (!regular || !given.front().empty()) return given;
  try {
    return versionsIn(target);
  } catch (const Error&) {
    return given;
  }
}

// A target for every translator of a file.
std::vector<TextInput> everyVersion(const std::vector<TextInput>& targets) {
  std::vector<TextInput> all;
  for (const TextInput& target : targets) {
    for (const std::string& version : versionsOf(target)) {
      all.push_back(target);
      all.back().choice.version = version;
    }
  }
  return all;
}

}  // namespace

PrepareOptions withSides(PrepareOptions options) {
  SentenceOptions reading = options.reading;
  reading.sourceLanguage = options.sourceLanguage;
  reading.targetLanguage = options.targetLanguage;
  for (PairInput& pair : options.train) chooseSides(pair, reading);
  for (SetInput& set : options.sets) {
    for (PairInput& pair : set.parts) {
      chooseSides(pair, reading);
      pair.targets = everyVersion(pair.targets);
    }
  }
  return options;
}

std::vector<std::unique_ptr<LineSource>> openPair(const PairInput& pair, std::size_t references) {
  std::vector<std::unique_ptr<LineSource>> sources;
  sources.push_back(openLines(pair.source));
  for (std::size_t i = 0; i < references; ++i) sources.push_back(openLines(pair.targets[i]));
  std::vector<LineSource*> all;
  for (const auto& source : sources) all.push_back(source.get());
  pairSegments(all);
  return sources;
}

}  // namespace strata
