#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/lines.h"
#include "core/data/segments.h"
#include "core/data/text_choice.h"
#include "core/data/text_format.h"

namespace strata {

// One side of a parallel text.
struct TextInput {
  std::string location;  // a path or "ARCHIVE:MEMBER"
  TextFormat format = TextFormat::kAuto;
  int column = 0;             // of a tab-separated file, from 1; 0: the full line
  bool keepEntities = false;  // kSegments, kTmx: entities such as &amp; are not decoded
  std::vector<std::pair<std::string, std::string>> replace = {};  // literal text, in this order
  TextChoice choice = {};                                         // of a file with several texts
};

// The sentences of an input, checked like TextLines: what each format holds is said where it is
// defined (core/data/text_format.h). Damage, a missing column and a text that is not there, or not
// the only one that may be meant, are Errors that name the file. With `quiet`, notes are not
// logged.
std::unique_ptr<LineSource> openLines(const TextInput& input, bool quiet = false);
// The same of the lines of a file, of which none has been read. `format` is not kAuto.
std::unique_ptr<LineSource> sentencesOf(std::unique_ptr<LineSource> lines, TextFormat format,
                                        const TextInput& input, bool quiet);
// The format that is asked for; TSV if only a column is; else the one that the file has.
TextFormat formatOf(TextLines& file, const TextInput& input);

// The segments of one text of an evaluation set.
class SegmentLines : public LineSource {
 public:
  SegmentLines(std::string name, const SegmentText& text, std::vector<std::string> notes);

  bool next(std::string_view& line) override;
  const std::string& name() const override { return name_; }
  std::int64_t lineNumber() const override;
  std::vector<std::string> notes() const override { return notes_; }
  SegmentLines* segments() override { return this; }

  std::vector<SegmentKey> keys() const;  // of all segments, in their order
  // Puts them into another order, if one is given, before any has been read.
  void arrange(const std::vector<std::size_t>& order, const std::string& like);
  void logNotes(std::size_t from) const;

 private:
  std::string name_;
  std::vector<Segment> segments_;
  std::vector<std::string> notes_;
  std::size_t next_ = 0;
};

// Gives the sources whose segments are named by document and id the order of the first of them, and
// notes it. Segments that are missing or double are an Error that names them.
void pairSegments(const std::vector<LineSource*>& sources, bool quiet = false);

// The file of PREFIX for a language: PREFIX.LANGUAGE, possibly with .gz, .bz2, .xz, .txt, .xml,
// .sgm, .sgml or .jsonl appended. PREFIX may be "ARCHIVE:MEMBERPREFIX". An Error lists the
// attempts.
std::string locationOfPrefix(const std::string& prefix, const std::string& language);

}  // namespace strata
