#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/prepared_references.h"

namespace strata {

// sacreBLEU's options with its defaults.
struct TerOptions {
  bool normalized = false;     // decodes XML entities, makes punctuation separate words
  bool noPunctuation = false;  // removes . , ? : ; ! " ( )
  bool asianSupport = false;   // extends the two above to CJK characters and their punctuation
  bool caseSensitive = false;
};

// Translation edit rate (Snover et al., AMTA 2006), in per cent: edits that turn a hypothesis into
// a reference, divided by the reference's length. An edit inserts, deletes or substitutes a word,
// or shifts a run of words. The minimum is not computed but searched greedily, with Tercom's limits
// and preferences as in sacreBLEU. Thread-safe.
class TerMetric final : public Metric {
 public:
  // references[r][i] is the r-th reference of sentence i; at least one, all of the same length.
  TerMetric(const std::vector<std::vector<std::string>>& references, const TerOptions& options);

  std::string name() const override { return "TER"; }
  // As sacreBLEU's: "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:strata-0.1.0".
  std::string signature() const override;
  bool higherIsBetter() const override { return false; }
  std::size_t sentences() const override { return references_.sentences(); }
  std::size_t width() const override { return 2; }
  // Edits against the reference that needs the fewest, and the references' average length in words.
  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  // 100 * edits / length. Words against nothing are 100, nothing against nothing is 0.
  double score(std::span<const double> sums) const override;

 private:
  using WordHashes = std::vector<std::uint64_t>;  // collisions are practically impossible

  TerOptions options_;
  PreparedReferences<WordHashes> references_;
};

}  // namespace strata
