#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The glossary of `bpe-apply`: regular expressions in Python's syntax whose matches inside a word
// become segments that BPE does not split. Single-threaded.
class BpeGlossary {
 public:
  // An invalid expression is a usage error that names it.
  explicit BpeGlossary(const std::vector<std::string>& expressions);
  ~BpeGlossary();

  bool empty() const { return entries_.empty(); }
  // The word cut before and after each match of each expression, one expression after another.
  std::vector<std::string> isolate(std::string_view word);
  // Whether BPE leaves this segment unsplit.
  bool keepsWhole(std::string_view segment);

 private:
  struct Entry;
  std::vector<std::string> isolate(const std::string& word, Entry& entry);

  std::vector<std::unique_ptr<Entry>> entries_;
  std::unique_ptr<Entry> whole_;
};

}  // namespace strata
