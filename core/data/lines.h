#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/byte_source.h"
#include "core/text/line_stream.h"

namespace strata {

class SegmentLines;

// A sequence of lines from any source.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // The next line, without its end; false at the end. The view is valid until the next call.
  virtual bool next(std::string_view& line) = 0;
  virtual const std::string& name() const = 0;  // the name in errors
  virtual std::int64_t lineNumber() const = 0;  // of the line last read in the file, from 1
  virtual std::vector<std::string> notes() const {
    return {};
  }  // corrections made while reading, for the user
  // The same lines, if documents and segments name them: these can be put into another order before
  // they are read. Else null.
  virtual SegmentLines* segments() { return nullptr; }
};

// The lines of a text file, as every loader of the program reads them. Only \n ends a line; blank
// lines are kept; one byte order mark at the start and a CR before \n are removed and noted. Bytes
// that are not UTF-8, NUL and UTF-16 are Errors that name file, line and byte (lines from 1, bytes
// from 0). Memory is proportional to the longest line (at most 64 MiB).
class TextLines : public LineSource {
 public:
  // `location` as for openBytes. With `quiet`, corrections are only in notes() and not logged at
  // the end.
  explicit TextLines(const std::string& location, bool quiet = false);
  explicit TextLines(std::unique_ptr<ByteSource> bytes, bool quiet = false);

  bool next(std::string_view& line) override;
  // The unread bytes, a mark at the start left out: at least so many, or all up to the end.
  std::string_view peek(std::size_t bytes);
  const std::string& name() const override { return bytes_->name(); }
  std::int64_t lineNumber() const override { return lines_.lineNumber(); }
  std::vector<std::string> notes() const override;

 private:
  void dropMark();
  void check(std::string_view line) const;
  void note(std::string_view line);
  void finish();

  std::unique_ptr<ByteSource> bytes_;
  LineCutter lines_;
  bool quiet_;
  bool started_ = false, finished_ = false;
  std::int64_t offset_ = 0;  // of the current line in the text
  bool hadMark_ = false;
  std::int64_t returnsRemoved_ = 0;    // lines that ended in CR LF
  std::int64_t firstInnerReturn_ = 0;  // line with a CR inside; 0: none
  std::int64_t firstInnerMark_ =
      0;  // line other than the first that starts with a byte order mark; 0: none
};

// Lines that have been read from a file, once more. They outlive this.
class LinesInMemory : public LineSource {
 public:
  LinesInMemory(std::string name, const std::vector<std::string>& lines)
      : name_(std::move(name)), lines_(lines) {}
  bool next(std::string_view& line) override {
    if (next_ == lines_.size()) return false;
    line = lines_[next_++];
    return true;
  }
  const std::string& name() const override { return name_; }
  std::int64_t lineNumber() const override { return static_cast<std::int64_t>(next_); }

 private:
  std::string name_;
  const std::vector<std::string>& lines_;
  std::size_t next_ = 0;
};

// Sources read in parallel: line n of each belongs together.
class ParallelLines {
 public:
  explicit ParallelLines(std::vector<std::unique_ptr<LineSource>> sources);

  // The next line of every source; false if all end together. Sources of different lengths are an
  // Error that names two files with their counts.
  bool next();
  std::string_view line(std::size_t source) const { return lines_[source]; }
  std::size_t size() const { return sources_.size(); }
  std::int64_t count() const { return count_; }  // lines read of each
  const LineSource& source(std::size_t index) const { return *sources_[index]; }

 private:
  [[noreturn]] void refuse(const std::vector<bool>& ended);

  std::vector<std::unique_ptr<LineSource>> sources_;
  std::vector<std::string_view> lines_;
  std::int64_t count_ = 0;
};

// Whether a line contains only spaces, tabs and carriage returns.
bool hasNoWords(std::string_view line);

// All lines of a small text file, whatever is in them. Texts that a user names may have other
// formats: readSentences() of core/data/sentences.h.
std::vector<std::string> readLines(const std::string& location);

}  // namespace strata
