#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/string_map.h"

namespace strata {

// Counts the casings of words that do not begin a sentence, like Moses's train-truecaser.perl.
class TruecaserTrainer {
 public:
  // `casing`: the language whose rules for upper and lower case hold (casingOf()); empty: Moses's.
  explicit TruecaserTrainer(std::string casing = {}) : casing_(std::move(casing)) {}

  // One tokenised line (valid UTF-8, no \n).
  void add(std::string_view line);

  // The model as text: "best (count/total) other (count) ...\n" per word. Lines, and the other
  // casings, are sorted by bytes; a tie for the best goes to the casing seen first.
  std::string model() const;

 private:
  struct Casing {
    std::string word;
    std::int64_t count = 0;
  };
  std::string casing_;
  StringMap<std::vector<Casing>> casings_;
};

// Writes words at the start of a sentence in their most frequent casing, like Moses's
// truecase.perl. A const object may be used by many threads.
class Truecaser {
 public:
  // Reads a model file; errors name the file, and the line and byte of invalid UTF-8.
  explicit Truecaser(const std::filesystem::path& model, const std::string& casing = {});
  // The same from a model's text; `name` is its name in errors, `casing` that of its trainer.
  static Truecaser parse(std::string_view text, std::string_view name, std::string casing = {});

  // One tokenised line (valid UTF-8, no \n; words may carry factors after |); replaces the content
  // of `out`.
  void truecase(std::string_view line, std::string& out) const;

 private:
  explicit Truecaser(std::string casing) : casing_(std::move(casing)) {}
  void addLine(std::string_view line);
  void appendWord(std::string_view word, bool sentenceStart, std::string& out) const;

  std::string casing_;
  StringMap<std::string> best_;
  StringSet known_;
};

// Capitalises the first word of each sentence, like Moses's detruecase.perl; replaces the content
// of `out`.
void detruecase(std::string_view line, std::string& out);
// The same by the rules of a language; empty: as detruecase().
void detruecaseIn(const std::string& casing, std::string_view line, std::string& out);

}  // namespace strata
