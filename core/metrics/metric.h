#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A corpus score that is additive over sentences: each yields a row of numbers, and the score is a
// function of their sums. So the score of a bucket, a filter or a resample is a sum and a little
// arithmetic, and never a mean of scores. A metric owns its references, prepared once for any
// number of systems. Thread-safe.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string name() const = 0;       // "BLEU", "chrF2++", "TER"; one name per formula
  virtual std::string signature() const = 0;  // everything that the score depends on
  virtual bool higherIsBetter() const { return true; }
  virtual std::size_t sentences() const = 0;  // of the references
  virtual std::size_t width() const = 0;      // numbers per sentence

  // Writes the row of one sentence's hypothesis. Bytes that are not UTF-8 are Errors.
  virtual void compare(std::size_t sentence, std::string_view hypothesis,
                       std::span<double> row) const = 0;
  // Score of the sums of any sentences' rows, possibly none.
  virtual double score(std::span<const double> sums) const = 0;
  // Score of a single sentence, if its formula differs from the corpus's (BLEU's effective order).
  virtual double sentenceScore(std::span<const double> row) const { return score(row); }
};
using MetricPointer = std::shared_ptr<const Metric>;

// The end of a signature in sacreBLEU's grammar: "strata-0.1.0". Formulas and options are those of
// sacreBLEU 2.6.0, but this program computed the score.
std::string signatureVersion();

// Throws an Error with the position of the first byte that is not UTF-8.
void checkUtf8(std::string_view line);

// Checks the references of a metric, references[r][i] being the r-th one of sentence i: at least
// one, all of the same length, or an Error. Returns the number of sentences.
std::size_t checkReferences(const std::vector<std::vector<std::string>>& references);

// Line n of one belongs to line n of the other: unequal numbers are an Error.
void checkSameLines(std::size_t hypotheses, std::size_t others,
                    std::string_view what = "references");

// The rows of a system, one per sentence, consecutively.
struct MetricRows {
  std::size_t width = 0;
  std::vector<double> values;  // sentences x width

  static MetricRows zeros(std::size_t sentences, std::size_t width) {
    return {width, std::vector<double>(sentences * width)};
  }

  std::size_t sentences() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const double> row(std::size_t sentence) const {
    return std::span(values).subspan(sentence * width, width);
  }
  std::span<double> row(std::size_t sentence) {
    return std::span(values).subspan(sentence * width, width);
  }
  std::vector<double> sums() const;
  std::vector<double> sums(std::span<const std::size_t> sentences) const;
  MetricRows only(std::span<const std::size_t> sentences) const;
};

void addRow(std::span<const double> row, std::span<double> sums);

// All sentences, on `threads` threads (0: one per core). As many hypotheses as references, or an
// Error.
MetricRows compareAll(const Metric& metric, std::span<const std::string> hypotheses,
                      int threads = 0);

}  // namespace strata
