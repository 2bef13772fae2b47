// Tables for the terminal and self-contained pages.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/html.h"
#include "core/report/table.h"

using namespace strata;

class TestReport : public QObject {
  Q_OBJECT

 private slots:
  void columnsAlign();
  void widthsAreTheTerminals();
  void raggedRowsAreRefused();
  void base64ByHand();
  void pagesHoldEverythingThemselves();
  void textCannotBecomeMarkup();
  void picturesAreKnownByTheirBytes();
};

void TestReport::columnsAlign() {
  const Table table{.caption = "Scores",
                    .columns = {{"system", Align::kLeft}, {"BLEU", Align::kRight}},
                    .rows = {{"base", "9.5"}, {"\u6211\u7231", "100.0"}, {"caf\u00e9\u0301", ""}},
                    .marked = {}};
  QCOMPARE(textTable(table),
           std::string("Scores\n"
                       "system   BLEU\n"
                       "\u2500\u2500\u2500\u2500\u2500\u2500  \u2500\u2500\u2500\u2500\u2500\n"
                       "base      9.5\n"
                       "\u6211\u7231    100.0\n"
                       "caf\u00e9\u0301\n"));
}

void TestReport::widthsAreTheTerminals() {
  QCOMPARE(displayWidth("abc"), 3U);
  QCOMPARE(displayWidth("\u00fc"), 1U);
  QCOMPARE(displayWidth("e\u0301"), 1U);
  QCOMPARE(displayWidth("\u6211"), 2U);
  QCOMPARE(displayWidth("\u200b"), 0U);
  QCOMPARE(displayWidth("a\xff"), 2U);
}

void TestReport::raggedRowsAreRefused() {
  const Table table{
      .caption = "", .columns = {{"a", Align::kLeft}}, .rows = {{"1", "2"}}, .marked = {}};
  QVERIFY_EXCEPTION_THROWN(textTable(table), Error);
  HtmlPage page("t");
  QVERIFY_EXCEPTION_THROWN(page.table(table), Error);
}

void TestReport::base64ByHand() {
  QCOMPARE(base64(""), std::string(""));  // RFC 4648, section 10
  QCOMPARE(base64("f"), std::string("Zg=="));
  QCOMPARE(base64("fo"), std::string("Zm8="));
  QCOMPARE(base64("foo"), std::string("Zm9v"));
  QCOMPARE(base64("foobar"), std::string("Zm9vYmFy"));
  QCOMPARE(base64("\xff\xff\xff"), std::string("////"));
}

void TestReport::pagesHoldEverythingThemselves() {
  HtmlPage page("Demo");
  page.heading("Scores");
  page.table(
      {.caption = "", .columns = {{"a", Align::kRight}}, .rows = {{"1"}, {"2"}}, .marked = {1}});
  page.picture({.bytes = "foo", .mediaType = "image/png", .caption = "A curve"});
  const std::string html = page.html();
  QVERIFY(html.starts_with("<!doctype html>"));
  QVERIFY(html.find("data:image/png;base64,Zm9v") != std::string::npos);
  QVERIFY(html.find("<tr class=\"marked\"><td class=\"right\">2</td>") != std::string::npos);
  QVERIFY(html.find("prefers-color-scheme: dark") != std::string::npos);
  QVERIFY(html.find("http") == std::string::npos && html.find("<script") == std::string::npos);
  const TemporaryFolder folder;
  page.write(folder / "reports/demo/index.html");
  QCOMPARE(readFile(folder / "reports/demo/index.html"), html);
}

void TestReport::textCannotBecomeMarkup() {
  HtmlPage page("<b>");
  page.paragraph("a < b & \"c\"");
  page.code("<script>");
  const std::string html = page.html();
  QVERIFY(html.find("<title>&lt;b&gt;</title>") != std::string::npos);
  QVERIFY(html.find("<p>a &lt; b &amp; &quot;c&quot;</p>") != std::string::npos);
  QVERIFY(html.find("<script") == std::string::npos);
}

void TestReport::picturesAreKnownByTheirBytes() {
  const TemporaryFolder folder;
  writeFileAtomic(folder / "a", "\x89PNG\r\n\x1a\n....");
  writeFileAtomic(folder / "b", "<?xml version=\"1.0\"?>\n<svg/>");
  writeFileAtomic(folder / "c.png", "GIF89a");
  QCOMPARE(Picture::fromFile(folder / "a", "").mediaType, std::string("image/png"));
  QCOMPARE(Picture::fromFile(folder / "b", "").mediaType, std::string("image/svg+xml"));
  QVERIFY_EXCEPTION_THROWN(Picture::fromFile(folder / "c.png", ""), Error);
}

QTEST_GUILESS_MAIN(TestReport)
#include "test_report.moc"
