#include "core/data/foreign_formats.h"

#include <array>
#include <cctype>

namespace strata {
namespace {

struct Ending {
  std::string_view ending, format;
};
constexpr std::array<Ending, 17> kForeignEndings = {{{".xlf", "XLIFF"},
                                                     {".xliff", "XLIFF"},
                                                     {".sdlxliff", "XLIFF"},
                                                     {".mqxliff", "XLIFF"},
                                                     {".po", "a catalogue of gettext"},
                                                     {".pot", "a catalogue of gettext"},
                                                     {".csv", "CSV"},
                                                     {".parquet", "Parquet"},
                                                     {".arrow", "Arrow"},
                                                     {".html", "HTML"},
                                                     {".docx", "a document of Word"},
                                                     {".odt", "a document of OpenDocument"},
                                                     {".xlsx", "a table of Excel"},
                                                     {".ods", "a table of OpenDocument"},
                                                     {".pdf", "PDF"},
                                                     {".npy", "an array of NumPy"},
                                                     {".npz", "arrays of NumPy"}}};

bool isControl(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view end : {".gz", ".bz2", ".xz"}) {
    if (plain.ends_with(end)) plain.resize(plain.size() - end.size());
  }
  return plain;
}

std::string_view foreignFormatByName(std::string_view name) {
  const std::string plain = plainName(name);
  for (const Ending& known : kForeignEndings) {
    if (plain.ends_with(known.ending)) return known.format;
  }
  return {};
}

std::string_view foreignFormatByBytes(std::string_view head) {
  using namespace std::string_view_literals;
  // A sentence may begin with these letters.
  if (head.starts_with("PAR1") && head.size() > 4 && isControl(head[4])) return "Parquet";
  if (head.starts_with("ARROW1\0"sv)) return "Arrow";
  if (head.starts_with("\x93NUMPY")) return "an array of NumPy";
  if (head.starts_with("\x89HDF")) return "HDF5";
  if (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    return "objects of Python's pickle";
  return {};
}

}  // namespace strata
