#include "core/data/tmx.h"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kMostLanguages = 1000, kMostVariants = 10'000;

}  // namespace

TmxLines::TmxLines(std::unique_ptr<LineSource> lines, TextChoice choice, const Options& options)
    : lines_(std::move(lines)), reader_(*lines_), choice_(std::move(choice)), options_(options) {}

std::string TmxLines::languages() const {
  return fmt::format("{}", fmt::join(seen_, ", "));
}

// The variants of the next unit that has any; nullopt at the end.
std::optional<std::vector<TmxLines::Variant>> TmxLines::nextUnit() {
  std::vector<Variant> unit;
  std::string language;
  for (MarkupTag tag; reader_.next(tag);) {
    if (tag.name == "tmx") {
      open_ = !tag.closing;
    } else if (tag.opens("tu")) {
      if (!unit.empty()) break;
      unitLine_ = reader_.line();
    } else if (tag.name == "tu" && !unit.empty()) {
      return unit;
    } else if (tag.opens("tuv")) {
      language = tag.has("xml:lang") ? tag.attribute("xml:lang") : tag.attribute("lang");
    } else if (tag.opens("seg")) {
      if (unit.size() >= kMostVariants)
        throw Error("{}: line {}: a unit with more than {} variants", name(), unitLine_,
                    kMostVariants);
      unit.push_back({language, reader_.text(tag, {.keepEntities = options_.keepEntities})});
      if (seen_.size() < kMostLanguages) seen_.insert(language);
    }
  }
  if (!unit.empty())
    throw Error("{}: line {}: a <tu> that starts here has no end", name(), unitLine_);
  if (open_) throw Error("{}: ends before </tmx>; is the file complete?", name());
  return std::nullopt;
}

// The variant in a language, an exact code before one of a region.
const TmxLines::Variant* TmxLines::find(const std::vector<Variant>& unit,
                                        const std::string& language) const {
  const Variant* found = nullptr;
  for (const Variant& variant : unit) {
    if (isSameCode(variant.language, language)) return &variant;
    if (!isSameLanguage(variant.language, language)) continue;
    if (found != nullptr && !isSameCode(found->language, variant.language)) {
      throw usageError("{}: line {}: {} may be {} or {}; name one of them", name(), unitLine_,
                       language, found->language, variant.language);
    }
    if (found == nullptr) found = &variant;
  }
  return found;
}

bool TmxLines::next(std::string_view& line) {
  while (auto unit = nextUnit()) {
    ++units_;
    if (choice_.language.empty()) {
      throw usageError(
          "{}: is a TMX file, which has several languages ({}); name the one that is "
          "meant: {}",
          name(), languages(),
          choice_.role == TextRole::kSource ? "--source-language" : "--target-language");
    }
    const Variant* variant = find(*unit, choice_.language);
    const bool isPair =
        choice_.otherLanguage.empty() || find(*unit, choice_.otherLanguage) != nullptr;
    if (variant == nullptr || !isPair) {
      ++leftOut_;
      continue;
    }
    if (std::count_if(unit->begin(), unit->end(), [&](const Variant& each) {
          return isSameCode(each.language, variant->language);
        }) > 1)
      ++variants_;
    text_ = variant->text;
    line = text_;
    return true;
  }
  finish();
  return false;
}

void TmxLines::finish() {
  if (std::exchange(finished_, true)) return;
  if (units_ == 0) throw Error("{}: is a TMX file without a <tu> that has a <seg>", name());
  if (leftOut_ == units_) {
    const bool both = !choice_.otherLanguage.empty();
    throw usageError("{}: no unit has {}{}{}; its languages are {}", name(), choice_.language,
                     both ? " and " : "", both ? choice_.otherLanguage : "", languages());
  }
  if (options_.quiet) return;
  const auto inner = lines_->notes().size();
  const std::vector<std::string> all = notes();
  for (std::size_t i = inner; i < all.size(); ++i) spdlog::warn("{}", all[i]);
}

std::vector<std::string> TmxLines::notes() const {
  std::vector<std::string> all = lines_->notes();
  if (leftOut_ > 0) {
    all.push_back(fmt::format("{}: left out {} of {} units, which lack {}{}{}", name(), leftOut_,
                              units_, choice_.language, choice_.otherLanguage.empty() ? "" : " or ",
                              choice_.otherLanguage));
  }
  if (variants_ > 0) {
    all.push_back(fmt::format("{}: {} units have several variants in {}; the first one is used",
                              name(), variants_, choice_.language));
  }
  return all;
}

}  // namespace strata
