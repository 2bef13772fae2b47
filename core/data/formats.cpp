#include "core/data/formats.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/data/json_lines.h"
#include "core/data/tmx.h"
#include "core/text/replace.h"

namespace strata {
namespace {

// A source derived from another, with the file's name and line numbers.
class Derived : public LineSource {
 public:
  explicit Derived(std::unique_ptr<LineSource> inner) : inner_(std::move(inner)) {}
  const std::string& name() const override { return inner_->name(); }
  std::int64_t lineNumber() const override { return inner_->lineNumber(); }
  std::vector<std::string> notes() const override { return inner_->notes(); }
  SegmentLines* segments() override { return inner_->segments(); }

 protected:
  std::unique_ptr<LineSource> inner_;
};

class TedLines : public Derived {
 public:
  using Derived::Derived;
  bool next(std::string_view& line) override {
    constexpr std::array<std::string_view, 3> kDropped = {"<url>", "<talkid>", "<keywords>"};
    constexpr std::array<std::string_view, 4> kRemoved = {"<title>", "</title>", "<description>",
                                                          "</description>"};
    const auto dropped = [&] {
      return std::any_of(kDropped.begin(), kDropped.end(), [&](std::string_view tag) {
        return line.find(tag) != std::string_view::npos;
      });
    };
    do {
      if (!inner_->next(line)) return false;
    } while (dropped());
    if (line.find('<') == std::string_view::npos) return true;
    text_.assign(line);
    for (const std::string_view tag : kRemoved) replaceAll(text_, tag, "");
    line = text_;
    return true;
  }

 private:
  std::string text_;
};

class ColumnLines : public Derived {
 public:
  ColumnLines(std::unique_ptr<LineSource> inner, int column)
      : Derived(std::move(inner)), column_(column) {}
  bool next(std::string_view& line) override {
    if (!inner_->next(line)) return false;
    for (int i = 1; i < column_; ++i) {
      const auto tab = line.find('\t');
      if (tab == std::string_view::npos) {
        throw Error("{}: line {} has {} tab-separated columns, but column {} is requested", name(),
                    lineNumber(), i, column_);
      }
      line.remove_prefix(tab + 1);
    }
    line = line.substr(0, line.find('\t'));
    return true;
  }

 private:
  int column_;
};

class ReplacedLines : public Derived {
 public:
  ReplacedLines(std::unique_ptr<LineSource> inner,
                std::vector<std::pair<std::string, std::string>> replace)
      : Derived(std::move(inner)), replace_(std::move(replace)) {}
  bool next(std::string_view& line) override {
    if (!inner_->next(line)) return false;
    text_.assign(line);
    for (const auto& [from, to] : replace_) replaceAll(text_, from, to);
    line = text_;
    return true;
  }

 private:
  std::vector<std::pair<std::string, std::string>> replace_;
  std::string text_;
};

// Whoever names a column knows what the file is; else a table of several is refused.
void checkColumn(const TextInput& input) {
  if (input.column > 0) return;
  throw usageError(
      "{}: is TSV, a table with columns; name the column of the sentences, from 1, with "
      "--source-column or --target-column (a recipe: source_column, target_column). --format lines "
      "takes its lines as they are",
      input.location);
}

std::unique_ptr<LineSource> openSegments(std::unique_ptr<LineSource> lines, const TextInput& input,
                                         bool quiet) {
  const SegmentFile file = readSegments(*lines, input.keepEntities);
  std::vector<std::string> notes = lines->notes();
  notes.insert(notes.end(), file.notes.begin(), file.notes.end());
  auto text = std::make_unique<SegmentLines>(file.name, chosenText(file, input.choice), notes);
  if (!quiet) text->logNotes(lines->notes().size());
  return text;
}

}  // namespace

SegmentLines::SegmentLines(std::string name, const SegmentText& text,
                           std::vector<std::string> notes)
    : name_(std::move(name)), segments_(text.segments), notes_(std::move(notes)) {
  notes_.insert(notes_.end(), text.notes.begin(), text.notes.end());
}

bool SegmentLines::next(std::string_view& line) {
  if (next_ == segments_.size()) return false;
  line = segments_[next_++].text;
  return true;
}

std::int64_t SegmentLines::lineNumber() const {
  return next_ == 0 ? 0 : segments_[next_ - 1].line;
}

std::vector<SegmentKey> SegmentLines::keys() const {
  std::vector<SegmentKey> keys;
  for (const Segment& segment : segments_) keys.push_back(segment.key);
  return keys;
}

void SegmentLines::arrange(const std::vector<std::size_t>& order, const std::string& like) {
  if (order.empty()) return;
  std::vector<Segment> arranged;
  for (const std::size_t from : order) arranged.push_back(std::move(segments_[from]));
  segments_ = std::move(arranged);
  notes_.push_back(
      fmt::format("{}: put into the order of {}, by document and segment", name_, like));
}

void SegmentLines::logNotes(std::size_t from) const {
  for (std::size_t i = from; i < notes_.size(); ++i) spdlog::warn("{}", notes_[i]);
}

void pairSegments(const std::vector<LineSource*>& sources, bool quiet) {
  const SegmentLines* first = nullptr;
  std::vector<SegmentKey> keys;
  for (LineSource* source : sources) {
    SegmentLines* text = source->segments();
    if (text == nullptr) continue;
    const std::vector<SegmentKey> own = text->keys();
    if (first != nullptr) {
      const std::size_t notes = text->notes().size();
      text->arrange(orderLike({first->name(), keys}, {text->name(), own}), first->name());
      if (!quiet) text->logNotes(notes);
    } else if (areComplete(own)) {
      first = text;
      keys = own;
    }
  }
}

TextFormat formatOf(TextLines& file, const TextInput& input) {
  if (input.format != TextFormat::kAuto) return input.format;
  return input.column > 0 ? TextFormat::kTsv : formatOf(file);
}

std::unique_ptr<LineSource> openLines(const TextInput& input, bool quiet) {
  auto file = std::make_unique<TextLines>(input.location, quiet);
  const TextFormat format = formatOf(*file, input);
  return sentencesOf(std::move(file), format, input, quiet);
}

std::unique_ptr<LineSource> sentencesOf(std::unique_ptr<LineSource> lines, TextFormat format,
                                        const TextInput& input, bool quiet) {
  if (format == TextFormat::kTsv) checkColumn(input);
  if (format == TextFormat::kSegments) lines = openSegments(std::move(lines), input, quiet);
  if (format == TextFormat::kTmx)
    lines = std::make_unique<TmxLines>(
        std::move(lines), input.choice,
        TmxLines::Options{.keepEntities = input.keepEntities, .quiet = quiet});
  if (format == TextFormat::kJsonLines)
    lines = std::make_unique<JsonLines>(std::move(lines), input.choice, quiet);
  if (format == TextFormat::kTedTags) lines = std::make_unique<TedLines>(std::move(lines));
  const bool columns = format == TextFormat::kTsv || format == TextFormat::kLines;
  if (columns && input.column > 0)
    lines = std::make_unique<ColumnLines>(std::move(lines), input.column);
  if (!input.replace.empty())
    lines = std::make_unique<ReplacedLines>(std::move(lines), input.replace);
  return lines;
}

std::string locationOfPrefix(const std::string& prefix, const std::string& language) {
  const std::string base = prefix + "." + language;
  const std::filesystem::path archive = fileOfLocation(base);
  const bool member = archive.string() != base;
  const std::vector<std::string> members =
      member ? archiveMembers(archive) : std::vector<std::string>{};
  for (const char* end : {"", ".gz", ".bz2", ".xz", ".txt", ".xml", ".sgm", ".sgml", ".jsonl",
                          ".xml.gz", ".sgm.gz", ".sgml.gz", ".jsonl.gz"}) {
    const std::string location = base + end;
    std::error_code ignored;
    const bool found =
        member ? std::find(members.begin(), members.end(),
                           location.substr(archive.string().size() + 1)) != members.end()
               : std::filesystem::exists(location, ignored);
    if (found) return location;
  }
  throw Error(
      "{}: no such file, nor with .gz, .bz2, .xz, .txt, .xml, .sgm, .sgml or .jsonl appended",
      base);
}

}  // namespace strata
