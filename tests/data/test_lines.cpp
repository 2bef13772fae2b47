#include <QTest>
#include <clocale>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/data/formats.h"
#include "core/data/lines.h"
#include "tests/program.h"
#include "tests/reference_rows.h"
#include "tests/warnings.h"

using namespace strata;

namespace {

std::int64_t countLines(const std::string& location) {
  TextLines lines(location, true);
  std::int64_t count = 0;
  for (std::string_view line; lines.next(line);) ++count;
  return count;
}

// Reads two files side by side to the end; the number of pairs.
std::int64_t countPairs(const std::string& source, const std::string& target) {
  std::vector<std::unique_ptr<LineSource>> sources;
  sources.push_back(std::make_unique<TextLines>(source, true));
  sources.push_back(std::make_unique<TextLines>(target, true));
  ParallelLines lines(std::move(sources));
  while (lines.next()) {
  }
  return lines.count();
}

}  // namespace

class TestLines : public QObject {
  Q_OBJECT
 private slots:
  void keepsBlankLinesAndRemovesCarriageReturns() {
    const TemporaryFolder folder;
    put(folder / "a",
        "\xef\xbb\xbf"
        "eins\r\n\r\n \nvier\rfuenf");
    TextLines lines((folder / "a").string(), true);
    std::vector<std::string> all;
    for (std::string_view line; lines.next(line);) all.emplace_back(line);
    QCOMPARE(all, (std::vector<std::string>{"eins", "", " ", "vier\rfuenf"}));
    const auto notes = lines.notes();
    QCOMPARE(notes.size(), std::size_t{3});
    QVERIFY(holds(notes[0], "byte order mark"));
    QVERIFY(holds(notes[1], "end of 2 lines"));
    QVERIFY(holds(notes[2], "line 4"));
  }

  void namesFileLineAndByte() {
    const TemporaryFolder folder;
    put(folder / "bad", "gut\nab\xc3(\n");
    const std::string bad = errorOf([&] { countLines((folder / "bad").string()); });
    QVERIFY2(holds(bad, "bad: line 2, byte 2 ") && holds(bad, "offset 6"), bad.c_str());
    put(folder / "nul", std::string_view("gut\na\0b\n", 8));
    const std::string nul = errorOf([&] { countLines((folder / "nul").string()); });
    QVERIFY2(holds(nul, "nul: line 2, byte 1 ") && holds(nul, "NUL"), nul.c_str());
    put(folder / "wide", std::string_view("a\0b\0\n\0", 6));
    QVERIFY(holds(errorOf([&] { countLines((folder / "wide").string()); }), "UTF-16"));
  }

  void refusesDifferentLengths() {
    const TemporaryFolder folder;
    put(folder / "s", "1\n2\n3\n");
    put(folder / "t", "1\n2\n3\n4\n5\n");
    const std::string error =
        errorOf([&] { countPairs((folder / "s").string(), (folder / "t").string()); });
    QVERIFY2(holds(error, "s has 3 lines") && holds(error, "t has 5"), error.c_str());
    QCOMPARE(countPairs((folder / "s").string(), (folder / "s").string()), 3);
  }

  void readsArchivesAndCompressedFiles() {
    const TemporaryFolder folder;
    put(folder / "text.de", "Haus\nMaus\n");
    const std::string at = "cd " + folder.path().string() + " && ";
    QCOMPARE(std::system((at + "mkdir d && cp text.de d/ && ln -s /etc/passwd d/link && tar czf "
                               "a.tgz d && tar cf b.tar d && tar cJf c.tar.xz d && gzip -k text.de "
                               "&& bzip2 -k text.de && xz -k text.de")
                             .c_str()),
             0);
    for (const char* name : {"text.de", "text.de.gz", "text.de.bz2", "text.de.xz",
                             "a.tgz:d/text.de", "b.tar:d/text.de", "c.tar.xz:d/text.de"}) {
      QCOMPARE(readLines((folder / name).string()), (std::vector<std::string>{"Haus", "Maus"}));
    }
    QCOMPARE(archiveMembers(folder / "a.tgz"), std::vector<std::string>{"d/text.de"});
    QVERIFY(holds(errorOf([&] { countLines((folder / "a.tgz:d/link").string()); }),
                  "contains no file d/link"));
    QVERIFY(holds(errorOf([&] { countLines((folder / "a.tgz").string()); }), "MEMBER"));
    QCOMPARE(locationOfPrefix((folder / "a.tgz:d/text").string(), "de"),
             (folder / "a.tgz:d/text.de").string());
    for (const char* name : {"text.de.gz", "text.de.bz2", "text.de.xz", "a.tgz", "c.tar.xz"}) {
      std::string bytes = readFile(folder / name);
      put(folder / (std::string("cut-") + name), bytes.substr(0, bytes.size() - 9));
      const std::string member = std::string(name).find("text") == 0 ? "" : ":d/text.de";
      if (!member.empty())
        put(folder / (std::string("cut-") + name), bytes.substr(0, bytes.size() / 2));
      const std::string error =
          errorOf([&] { countLines((folder / (std::string("cut-") + name)).string() + member); });
      QVERIFY2(holds(error, std::string("cut-") + name), (name + (": " + error)).c_str());
    }
  }

  void readsZip() {
    const TemporaryFolder folder;
    put(folder / "text.de", "Haus\nMaus\n");
    const std::string make = "cd " + folder.path().string() +
                             " && python3 -c \"import zipfile; z = zipfile.ZipFile('a.zip', 'w', "
                             "8); z.write('text.de', 'd/text.de'); z.close()\"";
    QCOMPARE(std::system(make.c_str()), 0);
    QCOMPARE(readLines((folder / "a.zip:d/text.de").string()),
             (std::vector<std::string>{"Haus", "Maus"}));
    std::string bytes = readFile(folder / "a.zip");
    bytes[bytes.find("text.de") + 8] ^= 1;
    put(folder / "bad.zip", bytes);
    QVERIFY(
        holds(errorOf([&] { countLines((folder / "bad.zip:d/text.de").string()); }), "bad.zip"));
  }

  // In the plainest locale, which has no letters beyond ASCII.
  void readsNamesInEveryLocale() {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "C");
    const TemporaryFolder folder;
    // Of 437.zip the name is not said to be UTF-8: 0x81 is the letter \u00fc of code page 437.
    put(folder / "make.py",
        "import io, tarfile, zipfile\n"
        "with zipfile.ZipFile('utf8.zip', 'w') as z:\n"
        "    z.writestr('Pr\u00fcfung/test.de', 'Haus\\n')\n"
        "    z.writestr('\u8bd5/test.de', 'Maus\\n')\n"
        "with zipfile.ZipFile('437.zip', 'w') as z: z.writestr('PrXfung.de', 'Haus\\n')\n"
        "data = open('437.zip', 'rb').read().replace(b'PrXfung', b'Pr\\x81fung')\n"
        "open('437.zip', 'wb').write(data)\n"
        "with zipfile.ZipFile('twice.zip', 'w') as z:\n"
        "    z.writestr('a.de', 'Haus\\n')\n"
        "    z.writestr('a.de', 'Maus\\n')\n"
        "for name, how in (('pax', dict(format=tarfile.PAX_FORMAT)),\n"
        "                  ('gnu', dict(format=tarfile.GNU_FORMAT, encoding='utf-8')),\n"
        "                  ('old', dict(format=tarfile.GNU_FORMAT, encoding='cp437'))):\n"
        "    with tarfile.open(name + '.tar', 'w', **how) as t:\n"
        "        info = tarfile.TarInfo('Pr\u00fcfung.de')\n"
        "        info.size = 5\n"
        "        t.addfile(info, io.BytesIO(b'Haus\\n'))\n");
    QCOMPARE(std::system(("cd " + folder.path().string() +
                          " && PYTHONWARNINGS=ignore PYTHONUTF8=1 python3 make.py")
                             .c_str()),
             0);
    using Names = std::vector<std::string>;
    QCOMPARE(archiveMembers(folder / "utf8.zip"),
             (Names{"Pr\u00fcfung/test.de", "\u8bd5/test.de"}));
    QCOMPARE(readLines((folder / "utf8.zip:\u8bd5/test.de").string()), Names{"Maus"});
    for (const char* archive : {"437.zip", "pax.tar", "gnu.tar", "old.tar"}) {
      QCOMPARE(archiveMembers(folder / archive), Names{"Pr\u00fcfung.de"});
      QCOMPARE(readLines((folder / (std::string(archive) + ":Pr\u00fcfung.de")).string()),
               Names{"Haus"});
    }
    // Two files of one name are two.
    const Warnings warnings;
    QCOMPARE(archiveMembers(folder / "twice.zip"), (Names{"a.de", "a.de (2)"}));
    QCOMPARE(readLines((folder / "twice.zip:a.de (2)").string()), Names{"Maus"});
    QCOMPARE(warnings.text(), std::string());
    QCOMPARE(readLines((folder / "twice.zip:a.de").string()), Names{"Haus"});
    QVERIFY(holds(warnings.text(), "twice.zip: has 2 files of the name a.de"));
    std::setlocale(LC_ALL, before.c_str());
  }

  void stopsAtWhatNoTextExpandsTo() {
    const TemporaryFolder folder;
    const std::string make = "cd " + folder.path().string() +
                             " && yes aaaaaaa | head -c 300000000 "
                             "| gzip > bomb.gz";
    QCOMPARE(std::system(make.c_str()), 0);
    const std::string error = errorOf([&] { countLines((folder / "bomb.gz").string()); });
    QVERIFY2(holds(error, "expands more than"), error.c_str());
  }

  void treatsEveryFixtureAsExpected_data() { rowPerReference("lines"); }

  void treatsEveryFixtureAsExpected() {
    const fs::path folder = referenceOfRow();
    int files = 0, pairs = 0;
    for (const Json& expect : parseJson(readFile(folder / "expect.json"), "expect.json")) {
      if (expect.contains("pair")) {
        checkPair(folder, expect);
        ++pairs;
      } else {
        checkFile(folder, expect);
        ++files;
      }
    }
    QVERIFY(files > 50);
    QVERIFY(pairs > 10);
  }

 private:
  static void checkFile(const fs::path& folder, const Json& expect) {
    const auto name = expect["file"].get<std::string>();
    const auto action = expect["action"].get<std::string>();
    std::int64_t lines = -1;
    const std::string error = errorOf([&] { lines = countLines((folder / name).string()); });
    if (action == "load") QVERIFY2(error.empty(), error.c_str());
    if (action == "refuse") {
      QVERIFY2(holds(error, name), (name + ": " + error).c_str());
      const bool located =
          expect.value("report", "") == "file, line, byte" && expect.contains("first_bad_line");
      if (located) {
        const std::string where =
            fmt::format("line {}, byte {} ", expect["first_bad_line"].get<int>(),
                        expect["first_bad_byte_in_line"].get<int>());
        QVERIFY2(holds(error, where), (error + " / " + where).c_str());
        QVERIFY2(
            holds(error, fmt::format("offset {} ", expect["first_bad_byte_offset"].get<int>())),
            error.c_str());
      }
    }
    if (error.empty()) QCOMPARE(lines, expect["lines"].get<std::int64_t>());
    if (action.starts_with("refuse or") && !error.empty())
      QVERIFY2(holds(error, name), error.c_str());
  }

  static void checkPair(const fs::path& folder, const Json& expect) {
    const auto name = expect["pair"].get<std::string>();
    const std::string source = (folder / (name + ".src")).string(),
                      target = (folder / (name + ".tgt")).string();
    std::int64_t pairs = -1;
    const std::string error = errorOf([&] { pairs = countPairs(source, target); });
    if (expect["action"] == "load") {
      QVERIFY2(error.empty(), error.c_str());
      QCOMPARE(pairs, expect["src_lines"].get<std::int64_t>());
    } else if (expect["action"] == "refuse" && expect["report"] == "both files and both counts") {
      QVERIFY2(holds(error, fmt::format("{} has {} lines", source, expect["src_lines"].get<int>())),
               error.c_str());
      QVERIFY2(holds(error, fmt::format("{} has {}", target, expect["tgt_lines"].get<int>())),
               error.c_str());
    } else if (expect["action"] == "refuse") {
      QVERIFY2(holds(error, "line 3, byte 1 "), error.c_str());
    }
  }
};

STRATA_GUILESS_TEST(TestLines)
#include "test_lines.moc"
