#include <QFontMetrics>
#include <QSet>
#include <QtTest>

#include "tests/program.h"
#include "ui/widgets/short_names.h"

using strata::ui::ShortNames;

// Names of runs where there is little room, as the demo has them.
class TestShortNames : public QObject {
  Q_OBJECT
 private slots:
  void whatMostShareGoesFirst() {
    const ShortNames names(demo_);
    QCOMPARE(fit(names, demo_[2], "…densenmt.demo.s1"), QString("…densenmt…s1"));  // demo, twice
    QCOMPARE(fit(names, demo_[2], "…densenmt…s1"), QString("…densenmt…s1"));
    QCOMPARE(fit(names, demo_[2], "…densenmt…"), QString("…densenmt…"));
  }

  void whatFitsIsWhole() {
    const ShortNames names(demo_);
    for (const QString& name : demo_) QCOMPARE(fit(names, name, name), name);
  }

  // A rail leaves about as much; each name was "demo-...mo.s1" there.
  void theyDifferInARail() {
    const ShortNames names(demo_);
    QSet<QString> seen;
    for (const QString& name : demo_) {
      const QString text = fit(names, name, "demo-...mo.s1");
      QVERIFY2(width(text) <= width("demo-...mo.s1"), qPrintable(text));
      seen << text;
    }
    QVERIFY2(seen.size() == demo_.size(), qPrintable(QStringList(seen.values()).join(", ")));
  }

  // A name that stands alone shares nothing; of one that stands twice something stays.
  void aLoneNameIsElidedInTheMiddle() {
    const QString name = "demo-mlrf.demo.s1";
    const QString elided = metrics_.elidedText(name, Qt::ElideMiddle, width("demo-mlrf"));
    QCOMPARE(fit(ShortNames({name}), name, "demo-mlrf"), elided);
    QCOMPARE(fit(ShortNames({name, name}), name, "s1"),
             metrics_.elidedText(name, Qt::ElideMiddle, width("s1")));
  }

  // Where every word is rare, or a name has no words, seeds differ in the end.
  void othersAreElidedInTheMiddle() {
    const QStringList rare{"first-experiment.s1", "second_attempt.s2", "averyverylongname3",
                           "averyverylongname4"};
    const ShortNames names(rare);
    for (const QString& name : rare) {
      const QString text = fit(names, name, "average name");
      QVERIFY2(text.startsWith(name.first(2)) && text.endsWith(name.last(1)), qPrintable(text));
    }
    QCOMPARE(fit(ShortNames(), "unknown-name.s1", "unknown"),  // no names are known
             metrics_.elidedText("unknown-name.s1", Qt::ElideMiddle, width("unknown")));
  }

 private:
  int width(const QString& text) const { return metrics_.horizontalAdvance(text); }
  QString fit(const ShortNames& names, const QString& name, const QString& room) const {
    return names.fit(name, metrics_, width(room));
  }

  const QFontMetrics metrics_{QFont()};
  const QStringList demo_{"demo-mlrf.demo",
                          "demo-base.demo",
                          "demo-densenmt.demo.s1",
                          "demo-dhea.demo.s1",
                          "demo-deepatt.demo.s1",
                          "demo-deepatt-deep.demo.s1",
                          "demo-deepatt-deep-noff.demo.s1"};
};

STRATA_TEST(TestShortNames)
#include "test_short_names.moc"
