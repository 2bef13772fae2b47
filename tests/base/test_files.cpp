#include <QtTest>
#include <fstream>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/replacing_file.h"
#include "tests/program.h"

using namespace strata;

class TestFiles : public QObject {
  Q_OBJECT
 private slots:
  void atomicWriteReplacesTheWholeFile() {
    TemporaryFolder folder;
    const auto path = folder / "deep/er/file.txt";
    writeFileAtomic(path, "first, and longer");
    writeFileAtomic(path, "second");
    QCOMPARE(readFile(path), std::string("second"));
    QCOMPARE(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator{}),
             1);  // no remains
  }

  void failedWriteLeavesTheOldFile() {
    TemporaryFolder folder;
    const auto path = folder / "file";
    fs::create_directories(path / "child");  // a folder cannot be replaced by a file
    QVERIFY_EXCEPTION_THROWN(writeFileAtomic(path, "x"), Error);
    QVERIFY(fs::is_directory(path / "child"));
    QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
  }

  // What a killed process has left is written anew; a content that is given up leaves nothing.
  void aReplacingFileHasOneName() {
    TemporaryFolder folder;
    writeFileAtomic(folder / "file", "old");
    std::ofstream(folder / "file.partial") << "of a killed process, and longer";
    {
      ReplacingFile givenUp(folder / "file");
      givenUp.write("lost");
    }
    QCOMPARE(readFile(folder / "file"), std::string("old"));
    QCOMPARE(namesIn(folder.path()), std::vector<std::string>{"file"});
    std::ofstream(folder / "file.partial") << "of a killed process, and longer";
    ReplacingFile file(folder / "file");
    file.write("n");
    file.write("ew");
    file.commit();
    QCOMPARE(readFile(folder / "file"), std::string("new"));
    QCOMPARE(namesIn(folder.path()), std::vector<std::string>{"file"});
  }

  void ofTwoAtOnceEachIsWhole() {
    TemporaryFolder folder;
    ReplacingFile first(folder / "file"), second(folder / "file");
    first.write("first");
    second.write("second");
    second.commit();
    QCOMPARE(readFile(folder / "file"), std::string("second"));
    first.commit();
    QCOMPARE(readFile(folder / "file"), std::string("first"));
    QCOMPARE(namesIn(folder.path()), std::vector<std::string>{"file"});
  }

  void missingFileIsNamed() {
    try {
      readFile("no/such/file");
      QFAIL("no error");
    } catch (const Error& error) {
      QVERIFY(std::string(error.what()).find("no/such/file") != std::string::npos);
    }
  }

  void mapping() {
    TemporaryFolder folder;
    writeFileAtomic(folder / "a", std::string("a\0b", 3));
    writeFileAtomic(folder / "empty", "");
    QCOMPARE(MappedFile(folder / "a").view().size(), std::size_t{3});
    QCOMPARE(MappedFile(folder / "empty").view().size(), std::size_t{0});
    QVERIFY_EXCEPTION_THROWN(MappedFile(folder.path()), Error);
  }

  void pathsStayInside() {
    QCOMPARE(pathInside("/root", "a/../b"), fs::path("/root/b"));
    QVERIFY_EXCEPTION_THROWN(pathInside("/root", "../b"), Error);
    QVERIFY_EXCEPTION_THROWN(pathInside("/root", "a/../../b"), Error);
    QVERIFY_EXCEPTION_THROWN(pathInside("/root", "/b"), Error);
  }

  // The reference implementation's published value for an empty input.
  void digests() {
    QCOMPARE(digestOf(""), std::string("99aa06d3014798d86001c324468d497f"));
    Digest pieces;
    pieces.add("ab");
    pieces.add("c");
    QCOMPARE(pieces.hex(), digestOf("abc"));
  }
};

STRATA_GUILESS_TEST(TestFiles)
#include "test_files.moc"
