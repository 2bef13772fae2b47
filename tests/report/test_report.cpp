// Tables for the terminal and self-contained pages.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/csv.h"
#include "core/report/html.h"
#include "core/report/latex.h"
#include "core/report/table.h"
#include "tests/program.h"

using namespace strata;

class TestReport : public QObject {
  Q_OBJECT

 private slots:
  void numbersHaveOneForm();
  void everyFormOfACell();
  void columnsAlign();
  void widthsAreTheTerminals();
  void raggedRowsAreRefused();
  void base64ByHand();
  void pagesHoldEverythingThemselves();
  void textCannotBecomeMarkup();
  void picturesAreKnownByTheirBytes();
};

void TestReport::numbersHaveOneForm() {
  QCOMPARE(numberText(34.5), std::string("34.50"));
  QCOMPARE(numberText(0.41, {.form = NumberForm::kSigned}), std::string("+0.41"));
  QCOMPARE(numberText(0.125, {.digits = 1, .form = NumberForm::kPercent}), std::string("12.5 %"));
  QCOMPARE(numberText(31.416, {.digits = 4, .form = NumberForm::kSignificant}),
           std::string("31.42"));
  QCOMPARE(numberText(std::nullopt, {.missing = kNotMeasured}), std::string("-"));
}

void TestReport::everyFormOfACell() {
  Cell score = Cell::plusMinus(34.4567, 0.61).mark(CellMark::kBetter);
  QCOMPARE(score.text(), std::string("34.46 \u00b1 0.61 \u25b2"));
  QCOMPARE(score.exact(), std::string("34.4567"));
  QCOMPARE(score.latex(), std::string("34.46 $\\pm$ 0.61 $\\uparrow$"));
  QCOMPARE(score.best().latex(), std::string("\\textbf{34.46} $\\pm$ 0.61 $\\uparrow$"));
  QCOMPARE(Cell::range(0.41, 1.2).text(), std::string("+0.41 to +1.20"));
  QCOMPARE(Cell::placed("10-19", 1).exact(), std::string("10-19"));
  const Table table{.columns = {{"a_b"}, {"n", Align::kRight}},
                    .rows = {{"x\ty", Cell::number(0.1234)}, {"z", Cell::number(std::nullopt)}}};
  QCOMPARE(tsvTable(table), std::string("a_b\tn\nx y\t0.12\nz\t\n"));
  QCOMPARE(csvTable(table), std::string("a_b,n\nx\ty,0.1234\nz,\n"));
  QCOMPARE(latexTable(table),
           std::string("\\begin{tabular}{lr}\n\\hline\na\\_b & n \\\\\n\\hline\n"
                       "x\ty & 0.12 \\\\\nz &  \\\\\n\\hline\n\\end{tabular}\n"));
}

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

STRATA_GUILESS_TEST(TestReport)
#include "test_report.moc"
