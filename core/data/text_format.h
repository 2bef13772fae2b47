#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/data/lines.h"

namespace strata {

// The format of a text file.
enum class TextFormat {
  kAuto,       // the one that the file has (formatOf)
  kLines,      // one per line
  kSegments,   // <seg id="...">sentence</seg>: SGML and XML of IWSLT, WMT and NIST
               // (core/data/segments.h)
  kTmx,        // Translation Memory eXchange (core/data/tmx.h)
  kJsonLines,  // a JSON string or object per line (core/data/json_lines.h)
  kTsv,        // columns, separated by tabs
  kTedTags,    // IWSLT's train.tags files: lines with <url>, <talkid> or <keywords> are left out,
               // title and description tags are removed, their text stays
};
// Parses one of textFormatNames(); anything else is a usage error.
TextFormat textFormatOf(std::string_view name);
// "auto", "lines", "segments", "tmx", "jsonl", "tsv", "ted-tags".
std::vector<std::string> textFormatNames();
std::string nameOf(TextFormat format);

// The format by which a file is read, kLines, kSegments, kTmx, kJsonLines or kTsv:
// 1. Its name, without .gz, .bz2 or .xz, ends in .sgm, .sgml or .xml (kSegments; kTmx if the root
//    element is <tmx>), .tmx, .jsonl, .ndjson or .json, or .tsv.
// 2. Else its beginning decides. After blanks, at most one <?xml ... ?>, comments and at most one
//    <!DOCTYPE ...> comes the tag of the root element, which is <srcset>, <refset>, <tstset>,
//    <mteval> or <dataset> (kSegments) or <tmx> (kTmx), in either case of letters, and next, after
//    blanks, another <. All of this is within the first 64 KiB.
// 3. Else it is kLines, whatever its lines begin with.
// Formats that are not read are usage errors that name them: by the ending (.xlf, .po, .csv, ...),
// or by <?xml ... ?> or <!DOCTYPE ...> with another root element in which a < comes next.
TextFormat formatOf(TextLines& lines);
// By the name alone; kAuto: it does not tell.
TextFormat formatByName(std::string name);

}  // namespace strata
