#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/lines.h"
#include "core/data/markup.h"
#include "core/data/text_choice.h"

namespace strata {

// One side of a TMX file (<tu><tuv xml:lang><seg>), in one pass. The choice's language is needed. A
// unit that lacks it, or the other language if that is given, is left out, so that both sides of a
// file have the same units; of several variants in a language the first one counts. The codes of
// other formats within a segment (<bpt>, <ept>, <it>, <ph>, <ut>) are left out, the text of <hi>
// stays. Languages that match ambiguously (de for de-DE and de-AT) or nowhere are usage errors that
// name those there are.
class TmxLines : public LineSource {
 public:
  struct Options {
    bool keepEntities = false;
    bool quiet = false;  // notes are not logged at the end
  };
  TmxLines(std::unique_ptr<LineSource> lines, TextChoice choice, const Options& options);

  bool next(std::string_view& line) override;
  const std::string& name() const override { return lines_->name(); }
  std::int64_t lineNumber() const override { return unitLine_; }
  std::vector<std::string> notes() const override;

 private:
  struct Variant {
    std::string language, text;
  };

  std::optional<std::vector<Variant>> nextUnit();
  const Variant* find(const std::vector<Variant>& unit, const std::string& language) const;
  void finish();
  std::string languages() const;

  std::unique_ptr<LineSource> lines_;
  MarkupReader reader_;
  TextChoice choice_;
  Options options_;
  std::string text_;
  std::set<std::string> seen_;  // languages
  std::int64_t unitLine_ = 0, units_ = 0, leftOut_ = 0, variants_ = 0;
  bool open_ = false, finished_ = false;  // <tmx>, the notes
};

}  // namespace strata
