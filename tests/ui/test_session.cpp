#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "ui/window/session.h"

using namespace strata::ui;
namespace fs = std::filesystem;

class TestSession : public QObject {
  Q_OBJECT
 private slots:
  void readsBackWhatItWrote();
  void aDamagedFileFallsBackToTheOneBefore();
  void anyFlippedByteOfALayoutIsRefused();
  void nothingOrNonsenseIsTheDefault();
};

static Session sample(const QString& perspective) {
  Session session;
  session.geometry = QByteArray("\0geo\xff", 5);
  session.perspective = perspective;
  session.layouts = {{"watch", "state"}, {"inside", QByteArray(300, '\x80')}};
  session.theme = "dark";
  session.unclean = 2;
  session.restoring = true;
  return session;
}

void TestSession::readsBackWhatItWrote() {
  QTemporaryDir folder;
  saveSession(folder.path(), sample("inside"));
  const Session read = loadSession(folder.path());
  QCOMPARE(read.geometry, QByteArray("\0geo\xff", 5));
  QCOMPARE(read.perspective, QString("inside"));
  QCOMPARE(read.layouts, sample("").layouts);
  QCOMPARE(read.theme, QString("dark"));
  QCOMPARE(read.unclean, 2);
  QVERIFY(read.restoring);
}

void TestSession::aDamagedFileFallsBackToTheOneBefore() {
  QTemporaryDir folder;
  saveSession(folder.path(), sample("launch"));
  saveSession(folder.path(), sample("watch"));
  QFile file(folder.filePath("ui/session.json"));
  QVERIFY(file.resize(file.size() / 2));
  QCOMPARE(loadSession(folder.path()).perspective, QString("launch"));
  saveSession(folder.path(), sample("inside"));  // a damaged file does not become the .bak
  QVERIFY(file.resize(10));
  QCOMPARE(loadSession(folder.path()).perspective, QString("launch"));
}

// Base64 with another letter is base64 as well, and Qt crashes on some layouts that it gives.
void TestSession::anyFlippedByteOfALayoutIsRefused() {
  QTemporaryDir folder;
  const Session good = sample("watch");
  saveSession(folder.path(), good);
  const fs::path path = folder.filePath("ui/session.json").toStdString();
  const std::string text = strata::readFile(path);
  const std::size_t begin = text.find("\"layouts\""), end = text.find('}', begin);
  int refused = 0;
  for (std::size_t at = begin; at < end; ++at) {
    std::string damaged = text;
    damaged[at] = damaged[at] == 'B' ? 'C' : 'B';
    strata::writeFileAtomic(path, damaged);
    QVERIFY2(loadSession(folder.path()).layouts.isEmpty(), damaged.substr(at, 20).c_str());
    ++refused;
  }
  QVERIFY(refused > 400);
  strata::writeFileAtomic(path, text);
  QCOMPARE(loadSession(folder.path()).layouts, good.layouts);
}

void TestSession::nothingOrNonsenseIsTheDefault() {
  QTemporaryDir folder;
  QVERIFY(loadSession(folder.path()).layouts.isEmpty());
  for (const char* text :
       {"", "[]", "{\"version\": 99, \"layouts\": {}}", "{\"version\": 1, \"layouts\": {\"a\": 3}}",
        "{\"version\": 1, \"geometry\": 5, \"layouts\": {}}"}) {
    strata::writeFileAtomic(folder.filePath("ui/session.json").toStdString(), text);
    const Session session = loadSession(folder.path());
    QVERIFY(session.layouts.isEmpty());
    QCOMPARE(session.unclean, 0);
  }
}

STRATA_GUILESS_TEST(TestSession)
#include "test_session.moc"
