#include <fmt/format.h>

#include <compare>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/data/markup.h"
#include "core/data/segments.h"

namespace strata {
namespace {

std::string firstAttribute(const MarkupTag& tag, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::string value = tag.attribute(name); !value.empty()) return value;
  }
  return {};
}

struct SegmentPlace {
  TextRole role = TextRole::kReference;
  std::string version, language;

  auto operator<=>(const SegmentPlace&) const = default;
};

// A segment with all that stands around it.
struct FoundSegment {
  SegmentPlace place;
  std::string documentVersion;  // sysid of its <doc>
  Segment segment;
};

std::optional<TextRole> roleOfSet(std::string_view name) {
  if (name == "srcset") return TextRole::kSource;
  if (name == "refset") return TextRole::kReference;
  if (name == "tstset") return TextRole::kOutput;
  return std::nullopt;
}

std::optional<TextRole> roleOfWmt(std::string_view name) {
  if (name == "src") return TextRole::kSource;
  if (name == "ref") return TextRole::kReference;
  if (name == "hyp") return TextRole::kOutput;
  return std::nullopt;
}

// Walks through the tags of a file.
class SegmentParser {
 public:
  SegmentParser(LineSource& lines, bool keepEntities)
      : lines_(lines), reader_(lines), keepEntities_(keepEntities) {}

  void run(SegmentFile& file) {
    for (MarkupTag tag; reader_.next(tag);) {
      if (root_.empty()) root_ = tag.name;
      if (tag.name == "dataset") isOpen_ = !tag.closing;
      if (tag.name == "seg") {
        if (!tag.closing) addSegment(tag);
      } else if (tag.empty) {
        continue;  // nothing is in it
      } else if (const auto set = roleOfSet(tag.name)) {
        openSet(tag, *set);
      } else if (const auto part = roleOfWmt(tag.name); part && !inSet_) {
        openPart(tag, *part);
      } else if (tag.name == "doc") {
        openDocument(tag);
      }
    }
    if (isOpen_) throw Error("{}: ends before </dataset>; is the file complete?", lines_.name());
    if (found_.empty() && skipped_ == 0) refuseEmpty();
    file.isWmt = isWmt_;
    if (skipped_ > 0) {
      file.notes.push_back(
          fmt::format("{}: left out {} documents of test suites", lines_.name(), skipped_));
    }
  }
  std::vector<FoundSegment>& found() { return found_; }

 private:
  [[noreturn]] void refuseEmpty() const {
    throw Error(
        "{}: contains no <seg>; is it an evaluation set in XML or SGML?{} With --format lines "
        "every "
        "line is a sentence",
        lines_.name(), root_.empty() ? "" : fmt::format(" (Its first tag is <{}>.)", root_));
  }

  void openSet(const MarkupTag& tag, TextRole role) {
    inSet_ = !tag.closing;
    place_ = {};
    if (tag.closing) return;
    place_.role = role;
    place_.version = firstAttribute(tag, {"refid", "sysid"});
    place_.language = tag.attribute(role == TextRole::kSource ? "srclang" : "trglang");
  }

  void openPart(const MarkupTag& tag, TextRole role) {
    inPart_ = !tag.closing;
    if (tag.closing) return;
    isWmt_ = true;
    place_ = {.role = role,
              .version = firstAttribute(tag, {"translator", "system"}),
              .language = firstAttribute(tag, {"lang", "language"})};
    if (role == TextRole::kSource) {
      sourceTranslators_.push_back(std::exchange(place_.version, {}));
    } else if (role == TextRole::kReference) {
      if (place_.version.empty() && references_ < sourceTranslators_.size())
        place_.version = sourceTranslators_[references_];
      ++references_;
    }
  }

  void openDocument(const MarkupTag& tag) {
    document_ = tag.closing ? "" : firstAttribute(tag, {"docid", "id"});
    documentVersion_ = tag.closing ? "" : tag.attribute("sysid");
    isTestSuite_ = !tag.closing && tag.has("testsuite");
    skipped_ += isTestSuite_ ? 1 : 0;
    sourceTranslators_.clear();
    references_ = 0;
    inPart_ = false;
  }

  void addSegment(const MarkupTag& tag) {
    Segment segment{.key = {document_, tag.attribute("id")}, .text = {}, .line = reader_.line()};
    segment.text = reader_.text(tag, {.tagsAreText = !inPart_, .keepEntities = keepEntities_});
    if (!isTestSuite_) found_.push_back({place_, documentVersion_, std::move(segment)});
  }

  LineSource& lines_;
  MarkupReader reader_;
  bool keepEntities_;
  std::string root_;
  std::vector<FoundSegment> found_;
  SegmentPlace place_;
  std::string document_, documentVersion_;
  std::vector<std::string> sourceTranslators_;  // of the document's <src>, in order
  std::size_t references_ = 0;                  // <ref> of the document so far
  int skipped_ = 0;
  bool inSet_ = false, inPart_ = false, isWmt_ = false, isTestSuite_ = false;
  bool isOpen_ = false;  // <dataset>
};

// In a set the `sysid` of documents names one of several versions only if a document comes in more
// than one; else it says who translated this document.
void nameVersions(std::vector<FoundSegment>& found) {
  std::map<std::pair<SegmentPlace, std::string>, std::set<std::string>> versions;  // by document
  std::set<SegmentPlace> several;
  for (const FoundSegment& each : found) {
    auto& of = versions[{each.place, each.segment.key.document}];
    of.insert(each.documentVersion);
    if (of.size() > 1) several.insert(each.place);
  }
  std::map<SegmentPlace, std::string>
      common;  // the version of a place's documents; empty: they differ
  for (const FoundSegment& each : found) {
    const auto [known, isNew] = common.emplace(each.place, each.documentVersion);
    if (!isNew && known->second != each.documentVersion) known->second.clear();
  }
  for (FoundSegment& each : found) {
    const bool differs = several.contains(each.place);
    const std::string& name = differs ? each.documentVersion : common[each.place];
    if (!name.empty() && (differs || each.place.version.empty())) each.place.version = name;
  }
}

void gatherTexts(SegmentFile& file, std::vector<FoundSegment>& found) {
  std::map<SegmentPlace, std::size_t> places;
  for (FoundSegment& each : found) {
    const auto [at, isNew] = places.emplace(each.place, file.texts.size());
    if (isNew)
      file.texts.push_back({.role = each.place.role,
                            .version = each.place.version,
                            .language = each.place.language});
    file.texts[at->second].segments.push_back(std::move(each.segment));
  }
}

}  // namespace

SegmentFile readSegments(LineSource& lines, bool keepEntities) {
  SegmentFile file{.name = lines.name()};
  SegmentParser parser(lines, keepEntities);
  parser.run(file);
  nameVersions(parser.found());
  gatherTexts(file, parser.found());
  if (file.isWmt) completeWmt(file);
  noteDoubles(file);
  return file;
}

}  // namespace strata
