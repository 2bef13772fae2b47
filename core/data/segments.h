#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/data/lines.h"
#include "core/data/text_choice.h"

namespace strata {

// What names a sentence in all files of an evaluation set: docid (WMT: id) of its document and id
// of its segment.
struct SegmentKey {
  std::string document, id;

  auto operator<=>(const SegmentKey&) const = default;
  bool isComplete() const { return !document.empty() && !id.empty(); }
};

// Whether there are keys and none lacks a part.
bool areComplete(const std::vector<SegmentKey>& keys);

struct Segment {
  SegmentKey key;
  std::string text;
  std::int64_t line = 0;  // of the file, from 1
};

// One text of a file: its source, a reference, the output of a system.
struct SegmentText {
  TextRole role = TextRole::kReference;
  std::string version;   // translator of a reference, name of a system; may be empty
  std::string language;  // as the file says; may be empty
  std::vector<Segment> segments = {};
  std::vector<std::string> notes = {};  // what it lacks, for the user
};

// An evaluation set as NIST, IWSLT and WMT deliver them:
//   SGML     <srcset srclang>, <refset trglang refid>, <tstset trglang sysid>, also several in one
//            file (<mteval>); <doc docid sysid>, <seg id>. Elements without such a set around them
//            are one text.
//   WMT XML  <dataset><doc id origlang>, in each <src lang>, <ref lang translator> and
//            <hyp system lang> with <seg id>. Documents with a `testsuite` are left out, and
//            segments that no reference translates, as by sacreBLEU; those of a document are
//            sorted if their ids are numbers. A translator may be named by <src> instead. What a
//            reference lacks is empty.
struct SegmentFile {
  std::string name;
  bool isWmt = false;
  std::vector<SegmentText> texts = {};
  std::vector<std::string> notes = {};  // what was left out, for the user
};

// Reads all of a file. Damage, and a file without a <seg>, are Errors that name file and line.
SegmentFile readSegments(LineSource& lines, bool keepEntities);

// Parts of that: what WMT XML leaves out and fills up, and the note on keys that come twice.
void completeWmt(SegmentFile& file);
void noteDoubles(SegmentFile& file);

// The texts that a choice may mean: one, unless a file has several references or outputs and none
// is named. A file with one text has no other, whatever it is called. No such text is a usage error
// that names those there are.
std::vector<const SegmentText*> chosenTexts(const SegmentFile& file, const TextChoice& choice);
// The only one; several are a usage error that names them.
const SegmentText& chosenText(const SegmentFile& file, const TextChoice& choice);
// "source (de), reference A (en), reference B (en)".
std::string describedTexts(const std::vector<const SegmentText*>& texts);

// For each sentence of `first` the place of the same one in `other`; empty if the order is the
// same, or if one of them has sentences without a key. Sentences that are missing, double or too
// many are an Error that names files, documents and segments.
struct NamedKeys {
  const std::string& name;
  const std::vector<SegmentKey>& keys;
};
std::vector<std::size_t> orderLike(const NamedKeys& first, const NamedKeys& other);

// Keys as a manifest has them, [[document, id, how many follow each other by number], ...], such as
// [["d1", "1", 20], ["d2", "x"]]; null: not all are complete.
Json segmentKeysJson(const std::vector<SegmentKey>& keys);
std::vector<SegmentKey> segmentKeysOf(const Json& json);  // of anything else: none

}  // namespace strata
