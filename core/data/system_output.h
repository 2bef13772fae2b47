#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/data/segments.h"
#include "core/data/sentences.h"

namespace strata {

// Translations of a test set as written by another toolkit, in the order of the set's sentences.
//   format            what it is
//   plain             one line per sentence: CTranslate2, JoeyNMT, Marian, OpenNMT, Sockeye
//   fairseq-generate  S-, T-, H-, D- and P- lines of fairseq-generate and fairseq-interactive
//   marian-nbest      ID ||| TEXT ||| ... ||| SCORE: n-best lists of Marian, Moses and their kin
//   sockeye-nbest     one JSON object per line (--output-type json; n-best lists too)
//   sockeye-scores    SCORE tab TEXT (--output-type translation_with_score)
//   numbered-scores   ID tab SCORE tab TEXT: fairseq's H- or D- lines without the letter
//   xml               an evaluation set of NIST, IWSLT or WMT: its <tstset> or <hyp> (segments.h)
// Files that end in .jsonl, .tsv or .tmx and have none of these formats are read as such, and that
// is their format (text_format.h).
struct SystemOutput {
  std::string format;
  std::vector<std::string> lines;  // the best translation of every sentence
  // Of `lines`, as in the file: log-probabilities, base 2 in fairseq, negated in Sockeye. Empty if
  // the file has none.
  std::vector<double> scores;
  // All translations of every sentence in the file's order (best first) and their scores; empty if
  // the file has one per sentence or has no scores. Where all have scores, of which higher is
  // better, the best by score comes first whatever the file's order is, with a warning.
  std::vector<std::vector<std::string>> nbest;
  std::vector<std::vector<double>> nbestScores;
  std::vector<std::string> sources, references;  // the S- and T- lines of fairseq-generate
  std::vector<SegmentKey> keys;                  // of xml, one per line; empty: the file has none
  std::vector<std::string> warnings;             // corrections made while reading, for the user
};

struct SystemOutputOptions {
  // fairseq-generate: the tokens that the model wrote (H-), not the detokenised text (D-).
  bool keepTokens = false;
  // plain: lines per sentence, best first, as JoeyNMT prints and OpenNMT writes n-best lists; from
  // 1.
  int nbest = 1;
  // Without a format of those above: the one that was asked for, and which of several texts is
  // meant.
  SentenceOptions reading = {};
  std::string likely = {};  // the system that is meant if there are several and one is it
};

// Reads the translations in a file (also compressed, see openBytes). Without a format the content
// decides: a format other than plain is recognised only if every line fits it, apart from log lines
// of fairseq; a warning says if most lines do. A sentence without a translation, ids that do not
// start at 0 (Sockeye: at 1) or occur twice, and damaged lines are Errors that name the file and
// the line, since scores would be silently wrong. An unknown format is a usage error.
SystemOutput readSystemOutput(const std::filesystem::path& path,
                              std::optional<std::string> format = {},
                              const SystemOutputOptions& options = {});

// The names above.
std::vector<std::string> systemOutputFormats();

}  // namespace strata
