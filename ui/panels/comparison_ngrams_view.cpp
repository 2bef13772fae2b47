#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QTextStream>
#include <QVBoxLayout>

#include "core/report/comparison_tables.h"
#include "ui/data/text.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/ngram_list.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

QVector<NGramRow> differenceRows(const std::vector<NGramDifference>& found) {
  QVector<NGramRow> rows;
  for (const NGramDifference& each : found) {
    rows << NGramRow{qs(each.text), each.order, each.second, each.first,
                     NGramsView::tr("“%1”, %2 words: confirmed %3 times here, %4 times in the "
                                    "baseline. Click to show the sentences.")
                         .arg(qs(each.text))
                         .arg(each.order)
                         .arg(countText(each.second), countText(each.first))};
  }
  return rows;
}

// An n-gram may be in both lists: too frequent in some sentences and too rare in others. The
// unconfirmed occurrences say how often.
QVector<NGramRow> productionRows(const std::vector<NGramProduction>& found, bool over) {
  QVector<NGramRow> rows;
  for (const NGramProduction& each : found) {
    rows << NGramRow{
        qs(each.text), each.order, over ? each.hypothesis : each.confirmed,
        over ? each.confirmed : each.reference,
        NGramsView::tr("“%1”, %2 words: %3 times in the translations, %4 times in the "
                       "references, %5 confirmed. Click to show the sentences.")
            .arg(qs(each.text))
            .arg(each.order)
            .arg(countText(each.hypothesis), countText(each.reference), countText(each.confirmed))};
  }
  return rows;
}

constexpr int kColumn = 300, kTitleHeight = 44, kGap = 16;  // pixels of a picture

// "▬ NAME : ▬ OTHER" in the colours of the bars.
QString legendText(const QString& name, const QString& other) {
  const auto mark = [](int colour) {
    return QStringLiteral("<span style='color:%1'>\u25ac</span> ").arg(seriesColour(colour).name());
  };
  return mark(0) + name.toHtmlEscaped() + QStringLiteral(" : ") + mark(1) + other.toHtmlEscaped();
}

}  // namespace

NGramsView::NGramsView(QWidget* parent) : ComparisonView(QStringLiteral("ngramsView"), parent) {
  auto* lists = new QWidget(this);
  auto* row = makeLayout<QHBoxLayout>(lists, {8, 0, 8, 6}, 12);
  here_ = makeList(QStringLiteral("ngramsHere"), lists);
  baseline_ = makeList(QStringLiteral("ngramsBaseline"), lists);
  over_ = makeList(QStringLiteral("ngramsOver"), lists);
  under_ = makeList(QStringLiteral("ngramsUnder"), lists);
  for (const List& list : {here_, baseline_, over_, under_}) row->addWidget(list.box, 1);
  auto* below = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(below, {0, 6, 0, 0}, kUsualSpacing);
  totalsTitle_ = styled(new QLabel(below), "heading");
  totalsTitle_->setWordWrap(true);
  totalsTitle_->setContentsMargins(8, 0, 8, 0);
  totals_ = named(new ReportTable(below), "ngramTotals", tr("n-grams by length"));
  column->addWidget(totalsTitle_);
  column->addWidget(totals_, 1);
  auto* splitter = makeSplitter(Qt::Vertical, this, {{lists, 520, 1}, {below, 150}});
  splitter->setChildrenCollapsible(false);
  setUp({tr("No n-grams"), tr("Choose systems of one test set on the left."),
         tr("Export these n-grams…")},
        splitter);
  system_ = addChoice(tr("System"), QStringLiteral("ngramSystem"));
  connect(system_, &QComboBox::currentIndexChanged, this, &NGramsView::drawLists);
}

NGramsView::List NGramsView::makeList(const QString& name, QWidget* parent) {
  List made;
  made.box = new QWidget(parent);
  auto* column = makeLayout<QVBoxLayout>(made.box, {}, 2);
  made.title = styled(new QLabel(made.box), "heading");
  made.title->setWordWrap(true);
  made.legend = styled(new QLabel(made.box), "muted");
  made.legend->setTextFormat(Qt::RichText);
  made.legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  made.list = named(new NGramList(made.box), name);
  column->addWidget(made.title);
  column->addWidget(made.legend);
  column->addWidget(made.list, 1);
  connect(made.list, &NGramList::ngramActivated, this, &NGramsView::ngramActivated);
  return made;
}

bool NGramsView::hasContent() const {
  return !comparison()->ngrams.empty();
}

void NGramsView::draw() {
  fillSystems(system_, /*withBaseline=*/true);
  drawLists();
  const Table totals = ngramTotalsTable(*comparison());
  totalsTitle_->setText(qs(totals.caption));
  totals_->setTable(totals);
}

void NGramsView::fill(const List& list, const QString& title, const Sides& sides,
                      const QVector<NGramRow>& rows) {
  list.title->setText(title);
  list.list->setAccessibleName(title);
  list.legend->setText(legendText(sides.first, sides.second));
  list.list->setSides(sides.first, sides.second);
  list.list->setRows(rows);
}

void NGramsView::drawLists() {
  if (isEmpty() || system_->currentIndex() < 0) return;
  const auto system = std::size_t(system_->currentData().toInt());
  const NGramTables& found = comparison()->ngrams[system];
  const bool compared = system != comparison()->baseline;
  here_.box->setVisible(compared);
  baseline_.box->setVisible(compared);
  fill(here_, tr("Confirmed more often here than in the baseline"), {tr("here"), tr("baseline")},
       differenceRows(found.against.secondConfirmed));
  fill(baseline_, tr("Confirmed more often in the baseline than here"),
       {tr("here"), tr("baseline")}, differenceRows(found.against.firstConfirmed));
  fill(over_, tr("Over-produced here (counted per sentence)"), {tr("here"), tr("confirmed")},
       productionRows(found.produced.over, /*over=*/true));
  fill(under_, tr("Under-produced here (counted per sentence)"),
       {tr("confirmed"), tr("references")}, productionRows(found.produced.under, /*over=*/false));
}

QVector<NGramsView::List> NGramsView::shownLists() const {
  QVector<List> shown;
  for (const List& list : {here_, baseline_, over_, under_}) {
    if (!list.box->isHidden()) shown << list;
  }
  return shown;
}

void NGramsView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) redraw();
}

void NGramsView::write(const QString& path) {
  if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) return writeValues(path);
  const QVector<List> lists = shownLists();
  double height = 0;
  for (const List& list : lists) height = std::max(height, list.list->rowsHeight());
  const QSize size(int(lists.size()) * (kColumn + kGap), int(height) + kTitleHeight + kGap);
  writeValues(valuesPath(path));
  exportPicture(path, size, [&](QPainter& painter, const QSizeF& area) {
    painter.fillRect(QRectF({0, 0}, area), theme().surface);
    painter.setFont(font());
    double left = kGap / 2.0;
    for (const List& list : lists) {
      painter.setPen(theme().text);
      const QRectF head(left + 8, 4, kColumn - 16, kTitleHeight / 2.0);
      painter.drawText(head, Qt::AlignLeft, list.title->text());
      const auto& [first, second] = list.list->sides();
      const double half = head.width() / 2;
      painter.setPen(seriesColour(0));
      painter.drawText(head.translated(0, 18), Qt::AlignLeft, QStringLiteral("\u25ac ") + first);
      painter.setPen(seriesColour(1));
      painter.drawText(head.translated(half, 18), Qt::AlignLeft,
                       QStringLiteral("\u25ac ") + second);
      list.list->paintRows(painter, {left, double(kTitleHeight), double(kColumn), height});
      left += kColumn + kGap;
    }
  });
}

void NGramsView::writeValues(const QString& path) const {
  exportText(path, [this](QTextStream& out) {
    out << tr("list,n-gram,order,count,of,count,of") << '\n';
    for (const List& list : shownLists()) {
      const auto& [first, second] = list.list->sides();
      for (const NGramRow& row : list.list->rows())
        out << csvField(list.title->text()) << ',' << csvField(row.text) << ',' << row.order << ','
            << row.here << ',' << csvField(first) << ',' << row.other << ',' << csvField(second)
            << '\n';
    }
  });
}

}  // namespace strata::ui
