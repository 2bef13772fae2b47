#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/lines.h"
#include "core/data/text_choice.h"

namespace strata {

// One side of a file of JSON lines. A line is a string, or an object whose texts are the members of
// "translation", as Hugging Face's datasets write them, or else its own strings, named by language
// ("de"; also any key that is given as the language) or by what they are ("source", "target", ...).
// A file with one text per line needs no language. Blank lines are passed over; line ends within a
// text become spaces. A line without the text that is meant, and a file whose texts are several
// with none named, are Errors that name the keys.
class JsonLines : public LineSource {
 public:
  JsonLines(std::unique_ptr<LineSource> lines, TextChoice choice, bool quiet);

  bool next(std::string_view& line) override;
  const std::string& name() const override { return lines_->name(); }
  std::int64_t lineNumber() const override { return lines_->lineNumber(); }
  std::vector<std::string> notes() const override;

 private:
  const std::string& textIn(const Json& value) const;
  const std::string* onlyText(const Json& texts) const;
  const std::string* find(const Json& texts, const std::string& language, TextRole role) const;

  std::unique_ptr<LineSource> lines_;
  TextChoice choice_;
  bool quiet_;
  std::string text_;
  std::int64_t lineEnds_ = 0;  // texts with some
  bool finished_ = false;
};

}  // namespace strata
