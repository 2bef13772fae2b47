// The plots and tables of a comparison: the widgets show its values.
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/report/comparison_tables.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "ui/data/text.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/ngram_list.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/interval_plot.h"
#include "ui/style/theme.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

namespace {

using Lines = std::vector<std::string>;
using Shared = std::shared_ptr<const Comparison>;

// 40 sentences that "same" has right; "near" misses a word of every one, "copy" is like "near".
Shared smallShared(std::vector<std::string> metrics = {"bleu", "ter"}, int systems = 3,
                   bool counts = true) {
  ComparisonInput input;
  Lines reference, near;
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    const std::string longer = i % 2 == 0 ? " with a few more words in this half of them" : "";
    reference.push_back("the cat number " + number + " sat on the mat" + longer);
    near.push_back("the cat number " + number + " lay on the mat" + longer);
  }
  input.testSet = "small.en";
  input.references = {reference};
  input.systems = {{.name = "near", .lines = near}, {.name = "same", .lines = reference}};
  for (int i = 2; i < systems; ++i)
    input.systems.push_back({.name = "copy " + std::to_string(i), .lines = near});
  if (counts) input.counts = wordCounts(Lines{"the cat sat on the mat", "the cat"});
  input.options.metrics = std::move(metrics);
  input.options.bootstrap.samples = 100;
  return std::make_shared<const Comparison>(compareSystems(input));
}

template <typename View>
void show(View& view, const Shared& comparison) {
  applyTheme(ThemeChoice::kLight);
  view.resize(1000, 700);
  view.setComparison(comparison);
  view.show();
}

}  // namespace

class TestComparisonViews : public QObject {
  Q_OBJECT

 private slots:
  void scoresAreThoseOfTheComparison() {
    const Shared found = smallShared();
    ScoresView view;
    show(view, found);
    QVERIFY(!view.isEmpty());
    for (std::size_t m = 0; m < 2; ++m) {
      const auto* plot = view.findChild<IntervalPlot*>(QString("scores%1").arg(m));
      QVERIFY(plot);
      QTRY_VERIFY(plot->isVisible());
      const MetricComparison& compared = found->metrics[m];
      QCOMPARE(plot->rows().size(), 3);
      for (int s = 0; s < 3; ++s) {
        const SystemScore& score = compared.systems[std::size_t(s)];
        const IntervalRow& row = plot->rows()[s];
        QCOMPARE(row.name, qs(found->systems[std::size_t(s)].name));
        QCOMPARE(row.value, score.score);
        QCOMPARE(row.low + row.high, 2 * score.interval->mean);
        QCOMPARE(row.high - row.low, 2 * score.interval->halfWidth);
        QCOMPARE(std::isnan(row.difference), s == 0);
        if (s > 0) QCOMPARE(row.pHolm, score.test->pHolm);
      }
      // All of its sentences are better, under TER by a lower score; a copy is not to be told.
      QCOMPARE(plot->rows()[0].verdict, IntervalRow::Verdict::kBaseline);
      QCOMPARE(plot->rows()[1].verdict, IntervalRow::Verdict::kBetter);
      QCOMPARE(plot->rows()[2].verdict, IntervalRow::Verdict::kUndecided);
    }
    QCOMPARE(view.findChild<IntervalPlot*>("scores1")->title(), QString("TER: lower is better"));
    const std::vector<Table> wanted{overviewTable(*found), scoreTable(*found, 0),
                                    scoreTable(*found, 1), statisticsTable(*found),
                                    oracleTable(*found)};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto* table = view.findChild<ReportTable*>(QString("scoresTable%1").arg(i));
      QVERIFY(table);
      QVERIFY(table->table().rows == wanted[i].rows);
    }
    QVERIFY(!view.findChild<ReportTable*>("scoresTable5"));
    QCOMPARE(view.findChild<QLabel*>("comparisonNotes")->text(), qs(comparisonNotes(*found)[0]));
  }

  void theHistogramIsOfTheChosenSystem() {
    const Shared found = smallShared();
    ScoresView view;
    show(view, found);
    const auto* plot = view.findChild<CategoryPlot*>("differenceHistogram");
    auto* choice = view.findChild<QComboBox*>("differenceSystem");
    QCOMPARE(choice->count(), 2);  // not the baseline
    QCOMPARE(plot->title(), QString("Sentences of same: 40 better, 0 equal, 0 worse"));
    double all = 0;
    for (const double value : plot->series()[0].values) all += std::isnan(value) ? 0 : value;
    QCOMPARE(all, 40.0);
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down);
    QCOMPARE(plot->title(), QString("Sentences of copy 2: 0 better, 40 equal, 0 worse"));
    QCOMPARE(plot->series()[1].values[10], 40.0);
  }

  void anotherComparisonReplacesTheFirst() {
    ScoresView view;
    show(view, smallShared({"bleu", "ter", "chrf"}, 4));
    view.findChild<QComboBox*>("differenceSystem")->setCurrentText("copy 3");
    const Shared fewer = smallShared({"bleu"}, 4);
    view.setComparison(fewer);
    QCOMPARE(view.findChildren<IntervalPlot*>().size(), 1);
    QCOMPARE(view.findChild<QComboBox*>("differenceSystem")->currentText(), QString("copy 3"));
    QVERIFY(view.findChild<ReportTable*>("scoresTable0")->table().rows ==
            scoreTable(*fewer, 0).rows);
    QVERIFY(view.findChild<ReportTable*>("scoresTable3")->isHidden());
    view.setComparison(nullptr);
    QVERIFY(view.isEmpty());
  }

  void oneSentenceHasNoIntervals() {
    ComparisonInput input;
    input.testSet = "one";
    input.references = {{"a b c d e"}};
    input.systems = {{.name = "x", .lines = {"a b c d e"}}, {.name = "y", .lines = {"a b c d f"}}};
    const auto found = std::make_shared<const Comparison>(compareSystems(input));
    ScoresView scores;
    BucketsView buckets;
    show(scores, found);
    show(buckets, found);
    const auto* plot = scores.findChild<IntervalPlot*>("scores0");
    QVERIFY(std::isnan(plot->rows()[1].low) && std::isnan(plot->rows()[1].p));
    QVERIFY(plot->readout(1).endsWith("\nnot tested"));
    QCOMPARE(plot->readout(0).count('\n'), 2);  // name, score, baseline
    QVERIFY(!scores.grab().isNull() && !buckets.grab().isNull());
  }

  void aHiddenViewWaitsUntilItIsShown() {
    NGramsView view;
    show(view, smallShared({"bleu"}, 4));
    view.findChild<QComboBox*>("ngramSystem")->setCurrentIndex(3);
    view.hide();
    view.setComparison(smallShared({"bleu"}, 2));
    applyTheme(ThemeChoice::kDark);  // draws nothing of removed systems
    QCOMPARE(view.findChild<QComboBox*>("ngramSystem")->count(), 4);
    view.show();
    QCOMPARE(view.findChild<QComboBox*>("ngramSystem")->count(), 2);
    applyTheme(ThemeChoice::kLight);
  }

  void scoresAreExported() {
    const Shared found = smallShared();
    ScoresView view;
    view.setComparison(found);  // not shown: it draws for the export
    QTemporaryDir folder;
    for (const char* end : {"svg", "csv", "png", "pdf"}) {
      view.exportTo(folder.filePath(QString("s.%1").arg(end)));
      for (const char* part : {"bleu", "ter", "differences"}) {
        const QFileInfo file(folder.filePath(QString("s-%1.%2").arg(part, end)));
        QVERIFY2(file.size() > 50, qPrintable(file.filePath()));
      }
    }
    const SystemScore& same = found->first().systems[1];
    const QString csv = textOf(folder.filePath("s-bleu.csv"));
    QVERIFY(csv.startsWith("system,BLEU,low,high,difference,"));
    QVERIFY(csv.contains(QString("same,%1,").arg(same.score, 0, 'g', 9)));
    QVERIFY(csv.contains(QString(",%1,").arg(same.difference, 0, 'g', 9)));
    const QString svg = textOf(folder.filePath("s-bleu.svg"));
    for (const char* text : {"100.00", "▲", "same", "copy 2", "baseline", "undecided"})
      QVERIFY2(svg.contains(text), text);
    QVERIFY(svg.contains(QString::number(found->first().systems[0].score, 'f', 2)));
    QVERIFY_EXCEPTION_THROWN(view.exportTo(folder.filePath("nowhere/s.csv")), strata::Error);
    QVERIFY_EXCEPTION_THROWN(view.exportTo(folder.filePath("s.doc")), strata::Error);
  }

  void bucketsAreThoseOfTheComparison() {
    const Shared found = smallShared();
    BucketsView view;
    show(view, found);
    const auto* plot = view.findChild<CategoryPlot*>("bucketPlot");
    auto* choice = view.findChild<QComboBox*>("bucketChoice");
    QCOMPARE(choice->count(), int(found->buckets.size()));
    for (int b = 0; b < choice->count(); ++b) {
      choice->setCurrentIndex(b);
      const BucketTable& buckets = found->buckets[std::size_t(b)];
      QCOMPARE(plot->categories().size(), qsizetype(buckets.labels.size()));
      for (std::size_t i = 0; i < buckets.labels.size(); ++i) {
        const BucketScore& score = buckets.scores[1][i];
        QVERIFY(plot->categories()[qsizetype(i)].startsWith(qs(buckets.labels[i])));
        const CategorySeries& series = plot->series()[1];
        if (score.count == 0) QVERIFY(std::isnan(series.values[i]));
        if (score.count > 0) QCOMPARE(series.values[i], score.score);
        if (score.interval) QCOMPARE(series.high[i] - series.low[i], 2 * score.interval->halfWidth);
      }
      QVERIFY(view.findChild<ReportTable*>("bucketTable")->table().rows ==
              bucketTable(*found, buckets).rows);
      QCOMPARE(view.findChild<QLabel*>("bucketNote")->text(), qs(buckets.note));
    }
    choice->setCurrentIndex(0);
    // Half of the sentences have 8 words, the others 17.
    QCOMPARE(plot->categories().first(), QString("0-9\n20 sentences"));
    QCOMPARE(plot->series().first().label, QString("near (baseline)"));
    QTemporaryDir folder;
    view.exportTo(folder.filePath("b.csv"));
    const QString value = QString::number(found->buckets[0].scores[0][1].score, 'g', 9);
    QVERIFY(textOf(folder.filePath("b.csv")).contains(value));
  }

  void ngramsAreListedAndActivated() {
    const Shared found = smallShared();
    NGramsView view;
    show(view, found);
    const auto* choice = view.findChild<QComboBox*>("ngramSystem");
    QCOMPARE(choice->currentText(), QString("same"));
    auto* here = view.findChild<NGramList*>("ngramsHere");
    const auto& wanted = found->ngrams[1].against.secondConfirmed;
    QCOMPARE(here->rows().size(), qsizetype(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QCOMPARE(here->rows()[qsizetype(i)].text, qs(wanted[i].text));
      QCOMPARE(here->rows()[qsizetype(i)].here, qint64(wanted[i].second));
      QCOMPARE(here->rows()[qsizetype(i)].other, qint64(wanted[i].first));
    }
    // Only "same" has "sat"; it produces nothing too often.
    QCOMPARE(here->rows()[0].here, 40);
    QVERIFY(here->rows()[0].text.contains("sat"));
    QVERIFY(view.findChild<NGramList*>("ngramsOver")->rows().isEmpty());
    QVERIFY(view.findChild<ReportTable*>("ngramTotals")->table().rows ==
            ngramTotalsTable(*found).rows);

    QSignalSpy activated(&view, &NGramsView::ngramActivated);
    const QRect second = here->visualRect(here->model()->index(1, 0));
    QTest::mouseClick(here->viewport(), Qt::LeftButton, {}, second.center());
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].toString(), qs(wanted[1].text));
    QTest::keyClick(here, Qt::Key_Down);
    QTest::keyClick(here, Qt::Key_Return);
    QCOMPARE(activated.size(), 2);
    QCOMPARE(activated[1][0].toString(), qs(wanted[2].text));
  }

  void theBaselineHasTwoLists() {
    const Shared found = smallShared();
    NGramsView view;
    show(view, found);
    auto* choice = view.findChild<QComboBox*>("ngramSystem");
    choice->setCurrentIndex(0);
    QCOMPARE(choice->currentText(), QString("near (baseline)"));
    QVERIFY(!view.findChild<NGramList*>("ngramsHere")->isVisible());
    const auto* over = view.findChild<NGramList*>("ngramsOver");
    QVERIFY(over->isVisible());
    QCOMPARE(over->rows()[0].here, 40);
    QCOMPARE(over->rows()[0].other, 0);
    QVERIFY(over->rows()[0].text.contains("lay"));
    const auto* under = view.findChild<NGramList*>("ngramsUnder");
    QCOMPARE(under->rows()[0].here, 0);
    QCOMPARE(under->rows()[0].other, 40);
    QVERIFY(under->rows()[0].text.contains("sat"));
    for (std::size_t i = 0; i < found->ngrams[0].produced.over.size(); ++i) {
      const NGramProduction& each = found->ngrams[0].produced.over[i];
      QCOMPARE(over->rows()[qsizetype(i)].here, qint64(each.hypothesis));
      QCOMPARE(over->rows()[qsizetype(i)].other, qint64(each.confirmed));
    }
    QTemporaryDir folder;
    view.exportTo(folder.filePath("n.csv"));
    QVERIFY(textOf(folder.filePath("n.csv")).contains(",lay,1,40,here,0,confirmed\n"));
    view.exportTo(folder.filePath("n.svg"));
    QVERIFY(textOf(folder.filePath("n.svg")).contains("40 : 0"));
  }

  void wordsNeedTrainingCounts() {
    WordsView view;
    show(view, smallShared({"bleu"}, 2, /*counts=*/false));
    QVERIFY(view.isEmpty());
    const Shared found = smallShared();
    view.setComparison(found);
    QVERIFY(!view.isEmpty());
    const auto* plot = view.findChild<CategoryPlot*>("wordPlot");
    auto* measure = view.findChild<QComboBox*>("wordMeasure");
    // "sat" stands once in the training text, as "on" and "mat" do.
    const WordAccuracy& once = found->wordAccuracy[0][1];
    QCOMPARE(plot->series()[0].values[1], 100 * once.f1());
    QCOMPARE(plot->series()[1].values[1], 100.0);
    measure->setCurrentIndex(2);
    QCOMPARE(plot->series()[0].values[1], 200 / 3.0);  // the recall
    QVERIFY(view.findChild<ReportTable*>("wordTable")->table().rows ==
            wordAccuracyTable(*found).rows);
  }

  void aThemeChangeRecoloursAll() {
    const Shared found = smallShared();
    ScoresView scores;
    NGramsView ngrams;
    show(scores, found);
    show(ngrams, found);
    for (QWidget* view : {static_cast<QWidget*>(&scores), static_cast<QWidget*>(&ngrams)}) {
      applyTheme(ThemeChoice::kLight);
      QCoreApplication::processEvents();
      const QImage light = view->grab().toImage();
      applyTheme(ThemeChoice::kDark);
      QCoreApplication::processEvents();
      const QImage dark = view->grab().toImage();
      const QPoint corner(light.width() / 2, 60);
      QCOMPARE(dark.pixelColor(light.width() - 4, 4).rgb(), theme().surface.rgb());
      QVERIFY(light.pixelColor(corner).lightness() > dark.pixelColor(corner).lightness());
    }
    const auto* plot = scores.findChild<IntervalPlot*>("scores0");
    const QImage picture = const_cast<IntervalPlot*>(plot)->grab().toImage();
    bool better = false;
    for (int y = 0; y < picture.height() && !better; ++y) {
      for (int x = 0; x < picture.width() && !better; ++x)
        better = picture.pixelColor(x, y).rgb() == theme().good.rgb();
    }
    QVERIFY(better);  // the dark theme's colour
    applyTheme(ThemeChoice::kLight);
  }
};

STRATA_TEST(TestComparisonViews)
#include "test_comparison_views.moc"
