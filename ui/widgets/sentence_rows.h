#pragma once
#include <QString>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/comparison.h"
#include "core/metrics/word_diff.h"

namespace strata::ui {

// One sentence of a comparison as rows of words, and how each row differs from another. Words are
// those of Comparison::tokenizedSystems, counted from 0; their spacing is that of the file.
class SentenceRows {
 public:
  enum class Side { kSource, kReference, kSystem };
  enum class Against { kBaseline, kReference, kNothing };

  struct Word {
    QString gap, text;  // `gap` precedes it
    std::string key;    // compared string
  };
  struct Row {
    Side side = Side::kSystem;
    std::size_t index = 0;  // of the reference or system
    std::vector<Word> words = {};

    QString text() const;
  };
  // Of a row from `left`.
  struct Differences {
    std::vector<DiffRun> runs;
    const Row* left = nullptr;  // null: the row is not compared
    std::vector<int> orders;    // the longest confirmed n-gram of each word; 0: none
  };
  static constexpr int kMaximumOrder = 4;

  // A translation that is not part of a comparison: words as BLEU's tokenizer splits them.
  static Row rowOfText(const std::string& text);
  // Of a row from `left`, without n-grams.
  static Differences differencesFrom(const Row& left, const Row& row);

  // `position`: in Comparison::sentences.
  SentenceRows(std::shared_ptr<const Comparison> comparison, std::size_t position);

  const Comparison& comparison() const { return *comparison_; }
  std::size_t position() const { return position_; }
  const std::vector<Row>& rows() const { return rows_; }  // source, references, systems
  std::size_t rowOf(std::size_t system) const;
  // Short enough to compare all rows at once: otherwise nothing is compared.
  bool fitsComparing() const { return fitsComparing_; }
  // Only systems are compared; the baseline is not compared with itself.
  Differences differencesOf(std::size_t row, Against against) const;

 private:
  struct Line {
    std::string_view text, tokenized;
    bool lowercase = false;
  };
  static std::vector<Word> wordsOf(const Line& line);
  const Row* base(const Row& row, Against against) const;

  std::shared_ptr<const Comparison> comparison_;
  std::size_t position_;
  std::vector<Row> rows_;
  bool fitsComparing_ = true;
};

}  // namespace strata::ui
