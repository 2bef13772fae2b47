#include "app/engine/translated_lines.h"

#include <spdlog/spdlog.h>

#include "app/engine/model_options.h"
#include "app/timing.h"
#include "core/base/progress.h"

namespace strata {

std::string TranslatedLines::tokens(std::size_t line, const Hypothesis& hypothesis) const {
  return unknownWords ? unknownWords->tokens(hypothesis, lines[line])
                      : text->tokensOf(Side::kTarget, hypothesis.tokens);
}

std::vector<std::string> TranslatedLines::bestTokens() const {
  std::vector<std::string> best;
  for (std::size_t line = 0; line < results.size(); ++line)
    best.push_back(tokens(line, results[line].front()));
  return best;
}

TranslatedLines translateLines(const ServedModel& served, LinesToTranslate asked) {
  TranslatedLines found{.lines = std::move(asked.lines),
                        .text = &textOf(served),
                        .unknownWords = nullptr,
                        .results = {}};
  if (asked.lexicon) {
    found.unknownWords = std::make_unique<UnknownWords>(*served.model, *found.text,
                                                        std::move(*asked.lexicon), asked.alignment);
    const auto& names = found.unknownWords->names();
    auto& record = asked.options.search.record;
    record.insert(record.end(), names.begin(), names.end());
  }
  Progress& progress = terminalProgress();
  progress.begin("Translating", std::ssize(found.lines), "sentences");
  const auto limit = served.model->sentenceLimit();
  asked.options.tooLong = [&, choice = asked.options.search.tooLong](const LongSentence& each) {
    found.tooLong.push_back({each.sentence, lengthText(each, *limit, choice)});
    spdlog::warn("line {} {}", each.sentence + 1, found.tooLong.back().what);
  };
  asked.options.advance = [&](std::int64_t done) { progress.advance(done); };
  const auto start = BenchClock::now();
  found.results =
      Translator(*served.model, *found.text).translate(found.lines, asked.prefixes, asked.options);
  found.seconds = secondsSince(start);
  progress.end();
  return found;
}

}  // namespace strata
