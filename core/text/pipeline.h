#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/text/vocabulary.h"

namespace strata {

enum class Side { kSource = 0, kTarget = 1 };

// The processing of one side's text, in this order: tokenize, lower-case or truecase, split by BPE,
// look up ids.
struct PipelineSide {
  std::string language = "en";     // Moses's language code
  std::string tokenizer = "none";  // one of kTokenizers
  // Of "icu": what found the word boundaries; empty: segmenterVersion().
  std::string segmenter = {};
  bool lowercase = false;
  // The language whose rules for upper and lower case hold (casingOf()); empty: Moses's rules.
  std::string casing = {};
  // Content of a truecaser model; empty: none. Not together with lowercase.
  std::string truecaser = {};
  std::string codes = {};          // content of a BPE codes file; empty: words are the units
  std::string bpeVocabulary = {};  // content of a "unit count" file that restricts BPE; empty: none
  std::int64_t bpeThreshold = 0;   // units of bpeVocabulary rarer than this count as absent
  Vocabulary vocabulary = {};
};

// The text pipeline that a dataset and each of its runs keep in a folder, so that raw text gets the
// ids a model knows and ids become text again. Const functions are thread-safe; the others allow
// one thread per side (the two sides may be used by two threads at once).
class TextPipeline {
 public:
  TextPipeline(PipelineSide source, PipelineSide target);
  // Reads a folder written by save(). Missing, changed or damaged files are errors that name them;
  // another version of ICU than the one whose word boundaries the text has is warned of.
  static TextPipeline load(const std::filesystem::path& folder);
  ~TextPipeline();
  TextPipeline(TextPipeline&&) noexcept;
  TextPipeline& operator=(TextPipeline&&) noexcept;

  // Writes pipeline.yaml (with each file's digest), codes, vocabularies and truecasers; creates the
  // folder.
  void save(const std::filesystem::path& folder) const;
  // The files of a saved pipeline, relative to its folder, pipeline.yaml first.
  static std::vector<std::filesystem::path> files(const std::filesystem::path& folder);
  // Writes the digest of pipeline.yaml to pipeline.digest, which load() verifies: for a folder
  // outside a dataset. (A dataset's manifest contains the digests.)
  static void seal(const std::filesystem::path& folder);
  Json description() const;  // the contents of pipeline.yaml

  // raw -> tokens: after tokenizer and casing, before BPE and vocabulary.
  std::string tokens(Side side, std::string_view raw) const;
  // tokens -> units: BPE applied; without BPE the same words.
  std::string units(Side side, std::string_view tokens);
  // units -> ids, without </s>.
  std::vector<std::int32_t> ids(Side side, std::string_view units) const;
  // raw -> ids in one step.
  std::vector<std::int32_t> encode(Side side, std::string_view raw);

  // units -> tokens: BPE joined.
  std::string joinUnits(Side side, std::string_view units) const;
  // ids -> tokens: special ids omitted, <unk> kept.
  std::string tokensOf(Side side, const std::vector<std::int32_t>& ids) const;
  // tokens -> readable text: detruecased (first word capitalised again) and detokenised (words of
  // scripts without spaces joined) if the side has these steps.
  std::string text(Side side, std::string_view tokens) const;

  const PipelineSide& side(Side side) const;
  const Vocabulary& vocabulary(Side side) const;

 private:
  struct Steps;
  std::array<std::unique_ptr<Steps>, 2> steps_;
};

}  // namespace strata
