#include "ui/panels/monitor_panel.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/jobs.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

enum MonitorColumn { kRunName, kStep, kTimeLeft, kLoss, kSpeed, kMemory, kDevice, kMonitorColumns };
enum AlertColumn { kWhen, kAlertRun, kAlertStep, kWhat, kText, kButtons, kAlertColumns };
constexpr int kActiveRunRole = Qt::UserRole, kSpeedsRole = Qt::UserRole + 1;
constexpr int kDone = 1000;  // of a bar
constexpr int kAlertHeight = 32;
constexpr int kAlertEdges = 12;  // around its text

// The text of the cell, and next to it the speeds as a line from zero.
class SpeedDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const auto speeds = index.data(kSpeedsRole).value<QList<double>>();
    const double most = speeds.isEmpty() ? 0 : *std::ranges::max_element(speeds);
    if (speeds.size() < 2 || !(most > 0)) return;
    const QRectF place = QRectF(option.rect).adjusted(option.rect.width() * 0.5, 4, -6, -4);
    QPainterPath line;
    for (qsizetype i = 0; i < speeds.size(); ++i) {
      const QPointF point(place.left() + place.width() * double(i) / double(speeds.size() - 1),
                          place.bottom() - place.height() * std::max(0.0, speeds[i]) / most);
      i == 0 ? line.moveTo(point) : line.lineTo(point);
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme().accent, 1.3));
    painter->drawPath(line);
    painter->restore();
  }
};

QString memoryText(double mib) {
  return bytesText(mib * 1024 * 1024);
}

QTreeWidget* makeMonitorTable(QWidget* parent, const char* name, const QString& accessible,
                              const QStringList& titles) {
  auto* table = named(new QTreeWidget(parent), QLatin1String(name), accessible);
  table->setHeaderLabels(titles);
  table->setRootIsDecorated(false);
  table->setUniformRowHeights(true);
  table->setAllColumnsShowFocus(true);
  table->header()->setStretchLastSection(false);
  return table;
}

QLabel* makeNote(QWidget* parent, const char* name, const QString& text) {
  auto* label = styled(named(new QLabel(text, parent), QLatin1String(name)), "muted");
  label->setContentsMargins(12, 2, 12, 8);
  label->setAlignment(Qt::AlignTop);
  label->setWordWrap(true);
  return label;
}

QLabel* makeHeading(QWidget* parent, const QString& text) {
  auto* label = styled(new QLabel(text, parent), "heading");
  label->setContentsMargins(12, 8, 12, 4);
  return label;
}

void setShare(QProgressBar* bar, double share) {
  const bool known = !std::isnan(share);
  bar->setValue(known ? int(std::lround(std::clamp(share, 0.0, 1.0) * kDone)) : 0);
}

QColor colourOf(AlertKind kind) {
  return kind == AlertKind::kNoImprovement ? theme().warning : theme().bad;
}

QString titleOf(AlertKind kind) {
  switch (kind) {
    case AlertKind::kDiverged:
      return MonitorPanel::tr("diverged");
    case AlertKind::kNotFinite:
      return MonitorPanel::tr("not finite");
    case AlertKind::kDiverging:
      return MonitorPanel::tr("diverging");
    case AlertKind::kGradientJump:
      return MonitorPanel::tr("gradient jump");
    case AlertKind::kNoImprovement:
      return MonitorPanel::tr("no improvement");
    case AlertKind::kDiskSpace:
      return MonitorPanel::tr("disk space");
    case AlertKind::kProcessDied:
      return MonitorPanel::tr("process died");
    case AlertKind::kFailed:
      return MonitorPanel::tr("failed");
    case AlertKind::kFolderMissing:
      return MonitorPanel::tr("folder missing");
  }
  return {};
}

}  // namespace

MonitorPanel::MonitorPanel(QWidget* parent)
    : Panel({QStringLiteral("monitor"), QStringLiteral("monitor"), tr("Monitor")}, parent) {
  setObjectName(QStringLiteral("monitorPanel"));
  auto* layout = makeLayout<QVBoxLayout>(this);
  layout->addWidget(makeDevices(this));
  layout->addWidget(
      makeSplitter(Qt::Vertical, this, {{makeRuns(this), 190, 1}, {makeAlerts(this), 190, 1}}), 1);
  connect(validations_, &QSpinBox::valueChanged, this,
          [this](int count) { emit rulesChanged({.validations = count}); });
  connect(runs_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) {
    share({.run = item->data(kRunName, kActiveRunRole).toLongLong()});
  });
  connect(runs_, &QTreeWidget::itemActivated, runs_, &QTreeWidget::itemClicked);
}

MonitorPanel::Gauge MonitorPanel::addGauge(QWidget* parent, const char* name,
                                           const QString& title) {
  auto* box = new QWidget(parent);
  auto* column = makeLayout<QVBoxLayout>(box, {}, 3);
  column->addWidget(styled(new QLabel(title, box), "heading"));
  Gauge gauge;
  gauge.bar = named(new QProgressBar(box), QLatin1String(name) + QStringLiteral("Bar"), title);
  gauge.bar->setRange(0, kDone);
  gauge.bar->setTextVisible(false);
  gauge.bar->setFixedHeight(6);
  gauge.text = styled(named(new QLabel(QStringLiteral("–"), box), QLatin1String(name)), "muted");
  gauge.text->setWordWrap(true);
  gauge.text->setAlignment(Qt::AlignTop);
  column->addWidget(gauge.bar);
  column->addWidget(gauge.text, 1);
  qobject_cast<QBoxLayout*>(parent->layout())->addWidget(box, 1);
  return gauge;
}

QWidget* MonitorPanel::makeDevices(QWidget* parent) {
  auto* devices = new QWidget(parent);
  makeLayout<QHBoxLayout>(devices, {12, 10, 12, 4}, 24);
  processor_ = addGauge(devices, "monitorProcessor", tr("Processor"));
  memory_ = addGauge(devices, "monitorMemory", tr("Memory"));
  disk_ = addGauge(devices, "monitorDisk", tr("Disk of the workspace"));
  gpu_ = addGauge(devices, "monitorGpu", tr("GPU"));
  return devices;
}

QWidget* MonitorPanel::makeRuns(QWidget* parent) {
  auto* part = new QWidget(parent);
  auto* layout = makeLayout<QVBoxLayout>(part);
  layout->addWidget(makeHeading(part, tr("Running and queued")));
  noRuns_ = makeNote(part, "monitorNoRuns", tr("Nothing is running. Launch (Ctrl+2) starts runs."));
  runs_ = makeMonitorTable(part, "monitorRuns", tr("Running and queued runs"),
                           {tr("run"), tr("step"), tr("time left"), tr("loss"), tr("tokens/s"),
                            tr("memory"), tr("device")});
  runs_->setItemDelegateForColumn(kSpeed, new SpeedDelegate(runs_));
  runs_->header()->setSectionResizeMode(kRunName, QHeaderView::Stretch);
  const int widths[kMonitorColumns] = {0, 130, 110, 70, 190, 90, 170};
  for (int column = kStep; column < kMonitorColumns; ++column)
    runs_->header()->resizeSection(column, widths[column]);
  runs_->headerItem()->setToolTip(kLoss, tr("newest train/nll, nats per target token"));
  runs_->headerItem()->setToolTip(kMemory, tr("resident memory of the process; with a GPU, also "
                                              "what it has reserved there"));
  for (const int column : {kStep, kLoss, kMemory})
    runs_->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  layout->addWidget(noRuns_, 1);
  layout->addWidget(runs_, 1);
  runs_->setVisible(false);
  return part;
}

QWidget* MonitorPanel::makeAlerts(QWidget* parent) {
  auto* part = new QWidget(parent);
  auto* layout = makeLayout<QVBoxLayout>(part);
  auto* head = makeLayout<QHBoxLayout>(nullptr, {0, 0, 12, 0}, 8);
  head->addWidget(makeHeading(part, tr("Alerts")));
  head->addStretch();
  auto* label = styled(new QLabel(tr("no improvement after"), part), "muted");
  validations_ = named(new QSpinBox(part), QStringLiteral("monitorValidations"),
                       tr("Validations without improvement that raise an alert"));
  validations_->setRange(1, 1000);
  validations_->setValue(AlertRules().validations);
  validations_->setSuffix(tr(" validations"));
  label->setBuddy(validations_);
  head->addWidget(label);
  head->addWidget(validations_);
  auto* bar = new QWidget(part);
  bar->setLayout(head);
  layout->addWidget(bar);
  addCopyCommand(head, [this] {
    return QStringList{QStringLiteral("runs"), QStringLiteral("alerts"),
                       QStringLiteral("--validations"), QString::number(validations_->value())};
  });
  noAlerts_ = makeNote(part, "monitorNoAlerts",
                       tr("No alerts: no run diverged, stands still, died or runs out of disk in "
                          "the last 48 hours."));
  alerts_ =
      makeMonitorTable(part, "monitorAlerts", tr("Alerts"),
                       {tr("time"), tr("run"), tr("step"), tr("alert"), tr("what"), QString()});
  alerts_->setWordWrap(true);
  alerts_->setUniformRowHeights(false);
  alerts_->header()->setSectionResizeMode(kText, QHeaderView::Stretch);
  connect(alerts_->header(), &QHeaderView::sectionResized, this, [this](int column) {
    if (column == kText) fitAlerts();
  });
  const int widths[kAlertColumns] = {110, 150, 80, 110, 0, 180};
  for (const int column : {kWhen, kAlertRun, kAlertStep, kWhat, kButtons})
    alerts_->header()->resizeSection(column, widths[column]);
  alerts_->headerItem()->setTextAlignment(kAlertStep, Qt::AlignRight | Qt::AlignVCenter);
  layout->addWidget(noAlerts_, 1);
  layout->addWidget(alerts_, 1);
  alerts_->setVisible(false);
  return part;
}

void MonitorPanel::setActivity(const std::vector<RunActivity>& runs) {
  activity_ = runs;
  const qint64 chosen =
      runs_->currentItem() ? runs_->currentItem()->data(kRunName, kActiveRunRole).toLongLong() : 0;
  while (runs_->topLevelItemCount() > int(runs.size()))
    delete runs_->takeTopLevelItem(runs_->topLevelItemCount() - 1);
  for (std::size_t row = 0; row < runs.size(); ++row) {
    if (int(row) >= runs_->topLevelItemCount()) new QTreeWidgetItem(runs_);
    QTreeWidgetItem* item = runs_->topLevelItem(int(row));
    fill(item, runs[row]);
    if (runs[row].run == chosen) runs_->setCurrentItem(item);
  }
  runs_->setVisible(!runs.empty());
  noRuns_->setVisible(runs.empty());
}

void MonitorPanel::fill(QTreeWidgetItem* item, const RunActivity& run) {
  const bool queued = run.place > 0;
  item->setData(kRunName, kActiveRunRole, qint64(run.run));
  item->setText(kRunName, qs(run.name));
  item->setToolTip(kRunName, qs(run.name));
  item->setText(kStep, queued ? tr("queued, place %1").arg(run.place)
                       : run.lastStep
                           ? tr("%1 of %2").arg(countText(run.step), countText(*run.lastStep))
                           : countText(run.step));
  const QString basis = run.left ? tr("from the newest %1 logged intervals of this start, at the "
                                      "speed of the fastest and of the slowest quarter of them")
                                       .arg(run.intervals)
                                 : QString();
  item->setText(kTimeLeft, run.left ? timeText(*run.left) : QString());
  item->setToolTip(kTimeLeft, basis);
  item->setText(kLoss, queued ? QString() : numberText(run.loss));
  item->setText(kSpeed,
                run.speeds.empty() ? QString() : countText(std::llround(run.speeds.back())));
  item->setData(kSpeed, kSpeedsRole,
                QVariant::fromValue(QList<double>(run.speeds.begin(), run.speeds.end())));
  QString memory = run.residentMib > 0 ? memoryText(run.residentMib) : QString();
  if (run.deviceMib > 0) memory += tr(" + %1").arg(memoryText(run.deviceMib));
  item->setText(kMemory, memory);
  QString device = qs(run.device);
  if (run.processes > 1) device += tr(", %n processes", nullptr, run.processes);
  if (run.threads > 0)
    device += run.processes > 1 ? tr(" of %n thread(s)", nullptr, run.threads)
                                : tr(", %n thread(s)", nullptr, run.threads);
  item->setText(kDevice, device);
  item->setToolTip(kDevice, run.host.empty() ? device : tr("%1 on %2").arg(device, qs(run.host)));
  for (const int column : {kStep, kLoss, kMemory})
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

void MonitorPanel::setAlerts(const std::vector<Alert>& alerts) {
  if (knowsAlerts_) sayNews(alerts);
  knowsAlerts_ = true;
  arrived_ = true;
  found_ = alerts;
  alerts_->clear();
  for (const Alert& alert : alerts) addAlert(alert);
  fitAlerts();
  alerts_->setVisible(!alerts.empty());
  noAlerts_->setVisible(alerts.empty());
}

// A tree wraps what it has room for, but makes no room.
void MonitorPanel::fitAlerts() {
  const QFontMetrics metrics = alerts_->fontMetrics();
  const QRect room(0, 0, alerts_->columnWidth(kText) - kAlertEdges, QWIDGETSIZE_MAX);
  for (int row = 0; row < alerts_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = alerts_->topLevelItem(row);
    const int lines = metrics.boundingRect(room, Qt::TextWordWrap, item->text(kText)).height();
    item->setSizeHint(kButtons, QSize(0, std::max(kAlertHeight, lines + kAlertEdges)));
  }
}

// What else the window does not tell: it announces the end of runs itself.
void MonitorPanel::sayNews(const std::vector<Alert>& alerts) {
  for (const Alert& alert : alerts) {
    const bool ends = alert.kind == AlertKind::kDiverged || alert.kind == AlertKind::kFailed ||
                      alert.kind == AlertKind::kProcessDied;
    const bool known = std::ranges::any_of(found_, [&](const Alert& before) {
      return before.kind == alert.kind && before.run == alert.run;
    });
    if (!ends && !known) emit failed(tr("%1: %2").arg(qs(alert.name), qs(alert.text)));
  }
}

void MonitorPanel::addAlert(const Alert& alert) {
  auto* item = new QTreeWidgetItem(alerts_);
  const auto time = QDateTime::fromMSecsSinceEpoch(qint64(alert.time * 1000));
  const bool today = time.date() == QDate::currentDate();
  item->setText(kWhen, today ? QLocale().toString(time.time(), QLocale::ShortFormat)
                             : QLocale().toString(time.date(), QLocale::ShortFormat));
  item->setToolTip(kWhen, QLocale().toString(time));
  item->setText(kAlertRun, qs(alert.name));
  item->setText(kAlertStep, countText(alert.step));
  item->setText(kWhat, titleOf(alert.kind));
  item->setForeground(kWhat, colourOf(alert.kind));
  item->setText(kText, qs(alert.text));
  item->setToolTip(kText, qs(alert.text));
  item->setTextAlignment(kAlertStep, Qt::AlignRight | Qt::AlignVCenter);
  auto* buttons = new QWidget(alerts_);
  auto* line = makeLayout<QHBoxLayout>(buttons, {2, 1, 2, 1}, 4);
  const auto add = [&](const char* name, const QString& text, const std::function<void()>& act) {
    auto* button = styled(new QPushButton(text, buttons), "compact");
    named(button, QLatin1String(name), tr("%1: %2").arg(text, qs(alert.name)));
    connect(button, &QPushButton::clicked, this, act);
    line->addWidget(button);
  };
  if (alert.kind == AlertKind::kFolderMissing) {
    add("forgetRun", tr("Remove from the list"),
        [this, run = alert.run] { emit forgetRequested(run); });
  } else {
    add("showAlert", tr("Show"), [this, alert] { lead(alert); });
  }
  const bool interrupted =
      alert.kind == AlertKind::kProcessDied &&
      std::ranges::find(activity_, alert.run, &RunActivity::run) == activity_.end();
  if (interrupted)
    add("resumeAlert", tr("Resume"), [this, run = alert.run] { emit resumeRequested(run); });
  line->addStretch();
  alerts_->setItemWidget(item, kButtons, buttons);
}

// The curves of the run, at the step.
void MonitorPanel::lead(const Alert& alert) {
  share({.drawn = QVector<qint64>{alert.run}, .run = alert.run, .step = alert.step});
  emit showRequested(QStringLiteral("curves"));
}

void MonitorPanel::setSystemUse(const SystemUse& use) {
  setShare(processor_.bar, use.cpuShare);
  const QString busy =
      std::isnan(use.cpuShare)
          ? tr("%1 cores").arg(use.cores)
          : tr("%1 % busy, %2 cores").arg(qRound(use.cpuShare * 100)).arg(use.cores);
  processor_.text->setText(
      std::isnan(use.load) ? busy : tr("%1, load %2").arg(busy).arg(use.load, 0, 'f', 1));
  const bool memory = use.memoryBytes > 0;
  setShare(memory_.bar, memory ? double(use.memoryUsedBytes) / double(use.memoryBytes) : 0);
  memory_.text->setText(
      memory ? tr("%1 of %2 in use")
                   .arg(bytesText(double(use.memoryUsedBytes)), bytesText(double(use.memoryBytes)))
             : tr("unknown"));
  const bool disk = use.diskBytes > 0;
  setShare(disk_.bar, disk ? 1 - double(use.diskFreeBytes) / double(use.diskBytes) : 0);
  disk_.text->setText(
      disk ? tr("%1 of %2 free")
                 .arg(bytesText(double(use.diskFreeBytes)), bytesText(double(use.diskBytes)))
           : tr("unknown"));
}

void MonitorPanel::setGpus(const std::vector<GpuUse>& gpus, const QString& problem) {
  gpu_.bar->setVisible(!gpus.empty());
  QStringList lines;
  double busiest = 0;
  for (const GpuUse& gpu : gpus) {
    if (!std::isnan(gpu.share)) busiest = std::max(busiest, gpu.share);
    lines << tr("%1: %2 busy, %3 of %4")
                 .arg(qs(gpu.name),
                      std::isnan(gpu.share) ? QStringLiteral("–")
                                            : tr("%1 %").arg(qRound(gpu.share * 100)),
                      memoryText(gpu.usedMib), memoryText(gpu.totalMib));
  }
  setShare(gpu_.bar, busiest);
  gpu_.text->setText(gpus.empty() ? problem : lines.join(QLatin1Char('\n')));
}

// Of the run at the cursor, else of the first.
Here MonitorPanel::here() const {
  Here here = Panel::here();
  const QTreeWidgetItem* item =
      runs_->currentItem() ? runs_->currentItem() : runs_->topLevelItem(0);
  const qint64 id = item ? item->data(kRunName, kActiveRunRole).toLongLong() : 0;
  const auto run = std::ranges::find(activity_, id, &RunActivity::run);
  if (run == activity_.end() || !run->left || !run->lastStep) return here;
  const double updates = double(*run->lastStep - run->step);
  here.place = qs(run->name);
  here.add(QStringLiteral("R"), timeText(*run->left));
  here.add(QStringLiteral("u"), countText(*run->lastStep - run->step));
  if (updates > 0)
    here.add(QStringLiteral("d_25"), tr("%1 to %2")
                                         .arg(numberText(run->left->least / updates),
                                              numberText(run->left->most / updates)));
  return here;
}

Json MonitorPanel::saveState() const {
  return {{"validations", validations_->value()}};
}

void MonitorPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.value("validations", validations_);
}

void MonitorPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  emit watching(true);
}

void MonitorPanel::hideEvent(QHideEvent* event) {
  Panel::hideEvent(event);
  emit watching(false);
}

void MonitorPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && knowsAlerts_) {
    for (std::size_t row = 0; row < found_.size(); ++row)
      alerts_->topLevelItem(int(row))->setForeground(kWhat, colourOf(found_[row].kind));
  }
}

}  // namespace strata::ui
