#include "ui/plots/chart.h"

#include <qcustomplot.h>

#include <QAccessible>
#include <QHelpEvent>
#include <QLabel>
#include <QPaintEvent>
#include <QPainter>
#include <QScopeGuard>
#include <QTextStream>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/plots/axis_texts.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/elided_label.h"

namespace strata::ui {
namespace {
constexpr QSize kPicture(640, 400);  // 6.7 inches: the width of a page's text

// Around a chart that has the keyboard's focus, over what it shows.
class FocusRing : public QWidget {
 public:
  explicit FocusRing(QWidget* chart) : QWidget(chart) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    chart->installEventFilter(this);
  }

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
      setVisible(event->type() == QEvent::FocusIn);
      raise();
    }
    if (event->type() == QEvent::Resize || event->type() == QEvent::FocusIn)
      setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().accent);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  }
};

}  // namespace

Chart::Chart(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Chart"));  // until it has a title or a name of its own
  new FocusRing(this);
}

void Chart::exportTo(const QString& path) {
  const bool values = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
  if (path.endsWith(QLatin1String(".tex"), Qt::CaseInsensitive)) {
    if (!hasTex())
      throw Error("{}: this picture has no pgfplots form: export it as .pdf", toStd(path));
    exportText(path, [this](QTextStream& out) { writeTex(out); });
  } else if (!values) {
    writePicture(path);
  }
  exportText(values ? path : valuesPath(path), [this](QTextStream& out) { writeValues(out); });
}

QSize Chart::pictureSize() const {
  return kPicture.expandedTo({0, minimumHeight()});
}

// The description is what a screen reader offers; the change of the name makes it speak.
void Chart::say(const QString& value) {
  setAccessibleDescription(value);
  if (value.isEmpty()) return;
  QAccessibleEvent changed(this, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&changed);
}

void Chart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

PaintedChart::PaintedChart(QWidget* parent) : Chart(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PaintedChart::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setClipRect(event->rect());  // large charts draw what is visible
  paintTo(painter, size());
  paintOverlay(painter);
}

void PaintedChart::focusInEvent(QFocusEvent* event) {
  Chart::focusInEvent(event);
  update();
}

void PaintedChart::focusOutEvent(QFocusEvent* event) {
  Chart::focusOutEvent(event);
  update();
}

// As large as its content wants, not as the window shows it.
QSize PaintedChart::pictureSize() const {
  return sizeHint().expandedTo(minimumSizeHint());
}

void PaintedChart::writePicture(const QString& path) {
  exportPicture(path, pictureSize(),
                [this](QPainter& painter, const QSizeF& size) { paintTo(painter, size); });
}

PlotChart::PlotChart(QWidget* parent)
    : Chart(parent),
      plot_(new QCustomPlot(this)),
      titleLabel_(new ElidedLabel(this)),
      axisTexts_(std::make_unique<AxisTexts>(plot_)) {
  plot_->setFocusPolicy(Qt::NoFocus);  // the chart has it
  plot_->installEventFilter(this);
  connect(plot_, &QCustomPlot::afterLayout, this, &PlotChart::fitAxisTexts);
  titleLabel_->setProperty("heading", true);
}

PlotChart::~PlotChart() = default;

void PlotChart::setTitle(const QString& title) {
  titleLabel_->setText(title);
  if (!title.isEmpty()) setAccessibleName(title);
}

QString PlotChart::title() const {
  return titleLabel_->text();
}

QString PlotChart::axisTitle(const QCPAxis* axis) const {
  return axisTexts_->title(axis);
}

void PlotChart::setAxisTitle(QCPAxis* axis, const QString& title) {
  axisTexts_->setTitle(axis, title);
}

void PlotChart::fitAxisTexts() {
  axisTexts_->fit();
}

QString PlotChart::wholeTextAt(const QPoint& position) const {
  return axisTexts_->wholeTitleAt(position);
}

bool PlotChart::eventFilter(QObject* watched, QEvent* event) {
  if (watched != plot_ || event->type() != QEvent::ToolTip)
    return Chart::eventFilter(watched, event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = wholeTextAt(help->pos());
  if (!text.isEmpty()) showTip(help->globalPos(), text, plot_);
  return !text.isEmpty();
}

void PlotChart::asPicture(const std::function<void()>& write) {
  picture_ = pictureSize();
  const auto restore = qScopeGuard([this] {
    picture_.reset();
    restyle();
  });
  const LightTheme light;  // ends before the chart is restored
  restyle();
  write();
}

void PlotChart::writePicture(const QString& path) {
  asPicture([&] { exportPlot(plot_, path, {title(), *picture_}); });
}

}  // namespace strata::ui
