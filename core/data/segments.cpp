#include "core/data/segments.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace strata {
namespace {

std::optional<std::int64_t> idNumber(std::string_view text) {
  const auto value = parseNumber<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

// Segments of a document by number, where all ids are numbers; documents keep their order.
void sortByNumber(std::vector<Segment>& segments) {
  for (std::size_t begin = 0, end = 0; begin < segments.size(); begin = end) {
    while (end < segments.size() && segments[end].key.document == segments[begin].key.document)
      ++end;
    const auto first = segments.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = segments.begin() + static_cast<std::ptrdiff_t>(end);
    if (!std::all_of(first, last,
                     [](const Segment& each) { return idNumber(each.key.id).has_value(); }))
      continue;
    std::stable_sort(first, last, [](const Segment& a, const Segment& b) {
      return *idNumber(a.key.id) < *idNumber(b.key.id);
    });
  }
}

// Gives every text of a WMT file the sentences of its source that any reference translates.
class WmtCompletion {
 public:
  explicit WmtCompletion(SegmentFile& file) : file_(file) {}

  void run() {
    const auto sources =
        std::count_if(file_.texts.begin(), file_.texts.end(),
                      [](const auto& text) { return text.role == TextRole::kSource; });
    for (SegmentText& text : file_.texts) sortByNumber(text.segments);
    if (sources != 1 || !haveKeys()) return;  // what belongs together is not known
    SegmentText& source = *std::find_if(file_.texts.begin(), file_.texts.end(),
                                        [](auto& text) { return text.role == TextRole::kSource; });
    dropUntranslated(source);
    for (SegmentText& text : file_.texts) {
      if (text.role != TextRole::kSource) complete(text, source);
    }
  }

 private:
  bool haveKeys() const {
    for (const SegmentText& text : file_.texts) {
      std::set<SegmentKey> keys;
      for (const Segment& each : text.segments) {
        if (!each.key.isComplete() || !keys.insert(each.key).second) return false;
      }
    }
    return true;
  }

  void dropUntranslated(SegmentText& source) {
    bool isReferenced = false;
    std::set<SegmentKey> translated;
    for (const SegmentText& text : file_.texts) {
      if (text.role != TextRole::kReference) continue;
      isReferenced = true;
      for (const Segment& each : text.segments) {
        if (!each.text.empty()) translated.insert(each.key);
      }
    }
    if (!isReferenced) return;
    const auto dropped = std::erase_if(
        source.segments, [&](const Segment& each) { return !translated.contains(each.key); });
    if (dropped > 0) {
      file_.notes.push_back(fmt::format("{}: left out {} segments that no reference translates",
                                        file_.name, dropped));
    }
  }

  void complete(SegmentText& text, const SegmentText& source) {
    std::map<SegmentKey, Segment*> own;
    for (Segment& each : text.segments) own[each.key] = &each;
    std::vector<Segment> segments;
    std::size_t missing = 0;
    const Segment* first = nullptr;
    for (const Segment& wanted : source.segments) {
      const auto found = own.find(wanted.key);
      if (found != own.end()) {
        segments.push_back(std::move(*found->second));
        continue;
      }
      if (missing++ == 0) first = &wanted;
      // An output's stay missing, and are refused where it is compared.
      if (text.role == TextRole::kReference) segments.push_back({wanted.key, "", wanted.line});
    }
    text.segments = std::move(segments);
    if (missing == 0) return;
    text.notes.push_back(fmt::format(
        "{}: {} lacks {} of {} segments (the first: document {}, segment {}){}", file_.name,
        describedTexts({&text}), missing, source.segments.size(), first->key.document,
        first->key.id, text.role == TextRole::kReference ? "; they are empty" : ""));
  }

  SegmentFile& file_;
};

using TextList = std::vector<const SegmentText*>;

template <typename Keep>
TextList textsThat(const TextList& texts, Keep keep) {
  TextList kept;
  std::copy_if(texts.begin(), texts.end(), std::back_inserter(kept), keep);
  return kept;
}

TextList ofLanguage(const TextList& texts, const std::string& language) {
  TextList same = textsThat(texts, [&](const SegmentText* text) {
    return isLanguageCode(text->language) && isSameCode(text->language, language);
  });
  if (!same.empty()) return same;
  return textsThat(texts, [&](const SegmentText* text) {
    return isLanguageCode(text->language) && isSameLanguage(text->language, language);
  });
}

TextList ofRole(const TextList& texts, TextRole role) {
  return textsThat(texts, [&](const SegmentText* text) { return text->role == role; });
}

// The texts of the language and the role that are asked for. A language decides before a role: a
// set is also used in the other direction.
TextList sideTexts(const SegmentFile& file, const TextList& all, const TextChoice& choice) {
  TextList texts = all;
  if (!choice.language.empty()) {
    texts = ofLanguage(all, choice.language);
    const bool unknown = std::none_of(all.begin(), all.end(), [](const SegmentText* text) {
      return isLanguageCode(text->language);
    });
    if (texts.empty() && unknown) texts = all;
    if (texts.empty())
      throw usageError("{}: has no text in {}; it holds {}", file.name, choice.language,
                       describedTexts(all));
  }
  for (const TextRole role : {choice.role, TextRole::kReference, TextRole::kOutput}) {
    TextList found = ofRole(texts, role);
    if (!found.empty() && (role == choice.role || !choice.language.empty())) return found;
  }
  if (!choice.language.empty()) return texts;
  throw usageError("{}: has no {}; it holds {}", file.name, nameOf(choice.role),
                   describedTexts(all));
}

// Up to five of the keys, in words.
std::string listed(const std::vector<SegmentKey>& keys) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(keys.size(), 5); ++i)
    names.push_back(fmt::format("document {}, segment {}", keys[i].document, keys[i].id));
  return fmt::format("{}{}", fmt::join(names, "; "), keys.size() > 5 ? "; ..." : "");
}

// Place of each key; those that come again are added to `doubles`.
std::map<SegmentKey, std::size_t> placesOf(const std::vector<SegmentKey>& keys,
                                           std::vector<SegmentKey>& doubles) {
  std::map<SegmentKey, std::size_t> places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!places.emplace(keys[i], i).second) doubles.push_back(keys[i]);
  }
  return places;
}

std::vector<SegmentKey> absentFrom(const std::map<SegmentKey, std::size_t>& places,
                                   const std::vector<SegmentKey>& keys) {
  std::vector<SegmentKey> absent;
  for (const SegmentKey& key : keys) {
    if (!places.contains(key)) absent.push_back(key);
  }
  return absent;
}

}  // namespace

bool areComplete(const std::vector<SegmentKey>& keys) {
  return !keys.empty() &&
         std::all_of(keys.begin(), keys.end(), [](const auto& key) { return key.isComplete(); });
}

void noteDoubles(SegmentFile& file) {
  for (SegmentText& text : file.texts) {
    std::vector<SegmentKey> keys, doubles;
    for (const Segment& each : text.segments) {
      if (each.key.isComplete()) keys.push_back(each.key);
    }
    placesOf(keys, doubles);
    if (doubles.empty()) continue;
    text.notes.push_back(
        fmt::format("{}: {} has twice {}", file.name, describedTexts({&text}), listed(doubles)));
  }
}

void completeWmt(SegmentFile& file) {
  WmtCompletion(file).run();
}

std::string describedTexts(const std::vector<const SegmentText*>& texts) {
  std::vector<std::string> names;
  for (const SegmentText* text : texts) {
    std::string name(nameOf(text->role));
    if (!text->version.empty()) name += " " + text->version;
    if (!text->language.empty()) name += fmt::format(" ({})", text->language);
    names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<const SegmentText*> chosenTexts(const SegmentFile& file, const TextChoice& choice) {
  TextList all;
  for (const SegmentText& text : file.texts) all.push_back(&text);
  if (all.empty()) throw Error("{}: every document is of a test suite; no text is left", file.name);
  const bool oneSided = std::all_of(all.begin(), all.end(), [&](const SegmentText* text) {
    return text->role == all.front()->role;
  });
  if (oneSided && choice.bothSides)
    throw usageError("{}: is given for both sides and holds only {}; give the other side's file",
                     file.name, describedTexts(all));
  TextList texts = oneSided ? all : sideTexts(file, all, choice);
  const auto named = [&](const std::string& version) {
    return textsThat(texts, [&](const SegmentText* text) { return text->version == version; });
  };
  if (!choice.version.empty() && ofRole(texts, TextRole::kSource).size() < texts.size()) {
    TextList found = named(choice.version);
    if (found.empty())
      throw usageError("{}: there is no {} {}; it holds {}", file.name, nameOf(choice.role),
                       choice.version, describedTexts(texts));
    return found;
  }
  if (texts.size() > 1 && !choice.likely.empty()) {
    if (TextList found = named(choice.likely); !found.empty()) return found;
  }
  return texts;
}

const SegmentText& chosenText(const SegmentFile& file, const TextChoice& choice) {
  const TextList texts = chosenTexts(file, choice);
  if (texts.size() == 1) return *texts.front();
  throw usageError("{}: which text is meant? It holds {}; name one with {}, or its language",
                   file.name, describedTexts(texts),
                   texts.front()->role == TextRole::kOutput ? "--output-of" : "--translator");
}

std::vector<std::size_t> orderLike(const NamedKeys& first, const NamedKeys& other) {
  if (!areComplete(first.keys) || !areComplete(other.keys) || first.keys == other.keys) return {};
  std::vector<std::string> wrong;
  const auto add = [&](const std::string& name, const char* what,
                       const std::vector<SegmentKey>& keys) {
    if (!keys.empty()) wrong.push_back(fmt::format("{} {} {}", name, what, listed(keys)));
  };
  std::vector<SegmentKey> doubles, otherDoubles;
  const auto firstPlaces = placesOf(first.keys, doubles);
  const auto places = placesOf(other.keys, otherDoubles);
  add(first.name, "has twice", doubles);
  add(other.name, "has twice", otherDoubles);
  add(other.name, "lacks", absentFrom(places, first.keys));
  add(first.name, "lacks", absentFrom(firstPlaces, other.keys));
  if (!wrong.empty()) {
    throw Error(
        "{}. Segments of {} ({}) and {} ({}) belong together by document and id: mend the file "
        "that "
        "is wrong",
        fmt::join(wrong, ". "), first.name, first.keys.size(), other.name, other.keys.size());
  }
  std::vector<std::size_t> order;
  for (const SegmentKey& key : first.keys) order.push_back(places.at(key));
  return order;
}

Json segmentKeysJson(const std::vector<SegmentKey>& keys) {
  if (!areComplete(keys)) return nullptr;
  Json json = Json::array();
  for (std::size_t i = 0; i < keys.size();) {
    const std::optional<std::int64_t> begin = idNumber(keys[i].id);
    std::size_t end = i + 1;
    const auto follows = [&](std::size_t at) {
      const auto offset = static_cast<std::int64_t>(at - i);
      return begin && keys[at].document == keys[i].document &&
             keys[at].id == std::to_string(*begin + offset);
    };
    while (end < keys.size() && follows(end)) ++end;
    const bool range = end > i + 1 && keys[i].id == std::to_string(*begin);
    if (!range) end = i + 1;
    json.push_back({keys[i].document, keys[i].id});
    if (range) json.back().push_back(end - i);
    i = end;
  }
  return json;
}

std::vector<SegmentKey> segmentKeysOf(const Json& json) {
  std::vector<SegmentKey> keys;
  for (const Json& entry : json.is_array() ? json : Json::array()) {
    if (!entry.is_array() || entry.size() < 2 || !entry[0].is_string() || !entry[1].is_string())
      return {};
    const auto document = entry[0].get<std::string>(), id = entry[1].get<std::string>();
    keys.push_back({document, id});
    if (entry.size() == 2) continue;
    const auto begin = idNumber(id);
    if (!begin || !entry[2].is_number_integer()) return {};
    const auto count = entry[2].get<std::int64_t>();
    for (std::int64_t i = 1; i < std::min<std::int64_t>(count, 10'000'000); ++i)
      keys.push_back({document, std::to_string(*begin + i)});
  }
  return keys;
}

}  // namespace strata
