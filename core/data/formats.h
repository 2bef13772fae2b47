#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/lines.h"

namespace strata {

// The format of a text file.
enum class TextFormat {
  kAuto,      // kSegments for .xml, .sgm and .sgml (compressed too), else kLines
  kLines,     // one per line
  kSegments,  // <seg id="...">sentence</seg>, as IWSLT, WMT and NIST deliver evaluation sets
  kTedTags,   // IWSLT's train.tags files: lines with <url>, <talkid> or <keywords> are left out,
              // title and description tags are removed, their text stays
};
TextFormat textFormatOf(
    std::string_view name);  // parses "auto", "lines", "segments" or "ted-tags"; else a usage error

// One side of a parallel text.
struct TextInput {
  std::string location;  // a path or "ARCHIVE:MEMBER"
  TextFormat format = TextFormat::kAuto;
  int column = 0;             // of a tab-separated file, from 1; 0: the full line
  bool keepEntities = false;  // kSegments: entities such as &amp; are not decoded
  std::vector<std::pair<std::string, std::string>> replace = {};  // literal text, in this order
};

// The sentences of an input, checked like TextLines. A file of kSegments without a <seg>, an
// unfinished <seg> and a missing column are Errors that name the file and line.
std::unique_ptr<LineSource> openLines(const TextInput& input, bool quiet = false);

// The file of PREFIX for a language: PREFIX.LANGUAGE, possibly with .gz, .bz2, .xz, .txt, .xml or
// .sgm appended. PREFIX may be "ARCHIVE:MEMBERPREFIX". An Error lists the attempts.
std::string locationOfPrefix(const std::string& prefix, const std::string& language);

}  // namespace strata
