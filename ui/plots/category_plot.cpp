#include "ui/plots/category_plot.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QTextStream>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kAxisWidth = 70, kLegendIcon = 46;  // pixels beside the categories, a legend's text
constexpr double kGroupWidth = 0.8;               // of the room of a category
}  // namespace

CategoryPlot::CategoryPlot(QWidget* parent)
    : QWidget(parent), plot_(new QCustomPlot(this)), titleLabel_(new QLabel(this)) {
  titleLabel_->setProperty("heading", true);
  titleLabel_->setContentsMargins(8, 4, 0, 0);
  titleLabel_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(titleLabel_);
  layout->addWidget(plot_, 1);
  plot_->setMinimumSize(220, 150);
  plot_->legend->setVisible(true);
  placeLegend();
  setLogarithmic(plot_->yAxis, false);
  stylePlot(plot_);
  plot_->legend->setBorderPen(Qt::NoPen);
}

// Below the axes. Room around it is made of empty elements, for a grid's own margins do not count
// in the height that it asks for.
void CategoryPlot::placeLegend() {
  const auto space = [this](int width, int height) {
    auto* element = new QCPLayoutElement(plot_);
    element->setMinimumSize(width, height);
    return element;
  };
  auto* below = new QCPLayoutGrid;  // owned by plot_, as its elements are
  below->setRowSpacing(0);
  plot_->plotLayout()->addElement(1, 0, below);
  below->addElement(0, 0, space(4, 1));
  below->addElement(0, 1, plot_->legend);
  below->addElement(0, 2, space(4, 1));
  below->addElement(1, 1, space(1, 6));
  for (const int column : {0, 1}) below->setColumnStretchFactor(column, 0.001);
  below->setRowStretchFactor(1, 0.001);
  plot_->plotLayout()->setRowStretchFactor(1, 0.001);
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot_->legend->setMargins(QMargins(0, 0, 0, 0));
}

void CategoryPlot::setTitle(const QString& title) {
  title_ = title;
  titleLabel_->setText(title);
}

void CategoryPlot::setAxisTitles(const QString& x, const QString& y) {
  plot_->xAxis->setLabel(x);
  plot_->yAxis->setLabel(y);
}

void CategoryPlot::setWholeScale(bool on) {
  wholeScale_ = on;
}

void CategoryPlot::setContent(QStringList categories, QVector<CategorySeries> series) {
  categories_ = std::move(categories);
  series_ = std::move(series);
  redraw();
}

void CategoryPlot::addBars() {
  const auto bars = std::count_if(series_.begin(), series_.end(), [](const CategorySeries& s) {
    return s.kind == CategorySeries::Kind::kBars;
  });
  const double width = kGroupWidth / double(std::max<std::ptrdiff_t>(1, bars));
  int place = 0;
  for (int index = 0; index < series_.size(); ++index) {
    if (series_[index].kind != CategorySeries::Kind::kBars) continue;
    auto* drawn = new QCPBars(plot_->xAxis, plot_->yAxis);  // owned by plot_
    drawn->setName(series_[index].label);
    drawn->setWidth(width * 0.94);
    drawn->setPen(Qt::NoPen);
    drawn->setBrush(seriesColour(index));
    const double shift = (place++ - double(bars - 1) / 2) * width;
    for (std::size_t i = 0; i < series_[index].values.size(); ++i) {
      const double value = series_[index].values[i];
      if (std::isfinite(value)) drawn->addData(double(i) + shift, value);
    }
  }
}

// References are told apart by their dashes, in a colour that stands out before bars and prints
// well.
QPen CategoryPlot::referencePen(int number) const {
  return {theme().text, 1.6, number % 2 == 0 ? Qt::DashLine : Qt::DotLine};
}

void CategoryPlot::addLines() {
  int references = 0;
  for (int index = 0; index < series_.size(); ++index) {
    const CategorySeries& series = series_[index];
    if (series.kind == CategorySeries::Kind::kBars) continue;
    const bool reference = series.kind == CategorySeries::Kind::kReference;
    const QColor colour = seriesColour(index);
    QCPGraph* graph = plot_->addGraph();
    graph->setName(series.label);
    graph->setPen(reference ? referencePen(references++) : QPen(colour, 1.8));
    if (!reference)
      graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, 4));
    for (std::size_t i = 0; i < series.values.size(); ++i)
      graph->addData(double(i), series.values[i]);
    if (!reference || series.values.empty()) continue;
    graph->addData(-0.45, series.values.front());  // a line also where there is one category
    graph->addData(double(series.values.size()) - 0.55, series.values.back());
  }
}

void CategoryPlot::setTicks() {
  plot_->xAxis->setRange(-0.6, double(categories_.size()) - 0.4);
  double largest = 0;
  for (const CategorySeries& series : series_) {
    for (const double value : series.values) {
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  plot_->yAxis->setRange(0, wholeScale_ ? 1 : (largest > 0 ? largest * 1.08 : 1));
}

void CategoryPlot::fitToWidth() {
  const QFontMetrics metrics(plot_->xAxis->tickLabelFont());
  int widest = 1;
  for (const QString& category : categories_)
    widest = std::max(widest, metrics.boundingRect({0, 0, 1000, 100}, 0, category).width());
  const int room = std::max(60, width() - kAxisWidth) / std::max(1, int(categories_.size()));
  // Names of several words are broken; of numbers some are left out.
  const bool named = std::any_of(categories_.begin(), categories_.end(), [](const QString& name) {
    return name.contains(QLatin1Char(' '));
  });
  const int step = named ? 1 : (widest + 8) / std::max(1, room) + 1;
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (int i = 0; i < categories_.size(); i += step) {
    QString text = categories_[i];
    if (widest + 6 > room) text.replace(QLatin1Char(' '), QLatin1Char('\n'));
    ticker->addTick(i, text);
  }
  plot_->xAxis->setTicker(ticker);
  const QFontMetrics legend(plot_->legend->font());
  int entry = 1;
  for (const CategorySeries& series : series_)
    entry = std::max(entry, legend.horizontalAdvance(series.label) + kLegendIcon);
  const int entries = std::max(1, int(series_.size()));
  const int columns = std::clamp(width() / entry, 1, entries);
  plot_->legend->setWrap(columns);
  // A little more than the text's height: what a legend asks for by itself cuts off descenders.
  plot_->legend->setMinimumSize(std::min(width(), columns * entry),
                                (entries + columns - 1) / columns * (legend.height() + 4));
  plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, /*rearrange=*/true);
}

void CategoryPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitToWidth();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CategoryPlot::redraw() {
  plot_->clearPlottables();
  addBars();
  addLines();
  setTicks();
  fitToWidth();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void CategoryPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  stylePlot(plot_);
  plot_->legend->setBorderPen(Qt::NoPen);
  redraw();
}

void CategoryPlot::exportTo(const QString& path) {
  if (!path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
    exportPlot(plot_, path, title_);
    return;
  }
  exportText(path, [this](QTextStream& out) {
    out << csvField(plot_->xAxis->label());
    for (const CategorySeries& series : series_) out << ',' << csvField(series.label);
    out << '\n';
    for (int i = 0; i < categories_.size(); ++i) {
      out << csvField(categories_[i]);
      for (const CategorySeries& series : series_) {
        const double value =
            std::size_t(i) < series.values.size() ? series.values[std::size_t(i)] : std::nan("");
        out << ',' << (std::isfinite(value) ? QString::number(value, 'g', 9) : QString());
      }
      out << '\n';
    }
  });
}

}  // namespace strata::ui
