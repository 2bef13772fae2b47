#include "ui/panels/queue_view.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/queue_list.h"

namespace strata::ui {
namespace {
constexpr int kTextMargin = 8;  // pixels left of texts
}

QueueView::QueueView(QWidget* parent)
    : QWidget(parent),
      list_(new QueueList(this)),
      empty_(named(styled(new QLabel(tr("Nothing is running, and nothing waits."), this), "muted"),
                   "queueEmpty")),
      problem_(named(styled(new QLabel(this), "warning"), "queueProblem")) {
  auto* layout = makeLayout<QVBoxLayout>(this, {}, 2);
  layout->addWidget(makeHeader());
  layout->addWidget(problem_);
  layout->addWidget(empty_, 1);
  layout->addWidget(list_, 1);
  empty_->setAlignment(Qt::AlignTop);
  for (QLabel* label : {empty_, problem_}) label->setContentsMargins(kTextMargin, 0, 0, 0);
  problem_->setWordWrap(true);
  problem_->hide();
  list_->hide();
  connect(list_, &QueueList::moved, this, &QueueView::moved);
  connect(list_, &QueueList::runChosen, this, &QueueView::runChosen);
  connect(list_, &QTreeWidget::currentItemChanged, this, &QueueView::enableMoves);
  enableMoves();
}

QWidget* QueueView::makeHeader() {
  QHBoxLayout* bar = makeBar(this);
  QWidget* header = bar->parentWidget();
  bar->setContentsMargins(kTextMargin, 2, 0, 0);
  bar->addWidget(styled(new QLabel(tr("Queue"), header), "heading"));
  bar->addStretch();
  earlier_ = makeMove(QStringLiteral("queueEarlier"), tr("Earlier"), -1);
  later_ = makeMove(QStringLiteral("queueLater"), tr("Later"), 1);
  addTool(bar, earlier_);
  addTool(bar, later_);
  auto* label = styled(new QLabel(tr("at once"), header), "muted");
  atOnce_ = named(new QSpinBox(header), "queueAtOnce", tr("Runs trained at once"));
  atOnce_->setRange(1, QueueSettings::kMostAtOnce);
  atOnce_->setKeyboardTracking(false);
  atOnce_->setToolTip(tr("How many runs are trained at once; with devices, on each of them. They "
                         "share the computer's cores.\nAllowed: 1 to %1 runs")
                          .arg(QueueSettings::kMostAtOnce));
  label->setBuddy(atOnce_);
  devices_ = named(new QComboBox(header), "queueDevices", tr("Devices that the queue trains on"));
  devices_->setEditable(true);
  devices_->setInsertPolicy(QComboBox::NoInsert);
  devices_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  devices_->setMinimumContentsLength(9);
  devices_->setToolTip(
      tr("The devices that the queue's runs are spread over: cpu, cuda:0, cuda:1. "
         "As set: each on the device of its setting training.device."));
  setGpus(0);
  bar->addWidget(label);
  bar->addWidget(atOnce_);
  bar->addWidget(devices_);
  connect(atOnce_, &QSpinBox::valueChanged, this, [this](int count) {
    settings_.atOnce = count;
    emit settingsChosen(settings_);
  });
  connect(devices_, &QComboBox::activated, this, &QueueView::chooseDevices);
  connect(devices_->lineEdit(), &QLineEdit::editingFinished, this, &QueueView::chooseDevices);
  return header;
}

QAction* QueueView::makeMove(const QString& name, const QString& text, int places) {
  const QString icon = places < 0 ? QStringLiteral("up") : QStringLiteral("down");
  auto* action = named(new QAction(themedIcon(icon), text, this), name);
  action->setToolTip(places < 0 ? tr("Train the chosen run one place earlier (Alt+Up)")
                                : tr("Train the chosen run one place later (Alt+Down)"));
  connect(action, &QAction::triggered, this, [this, places] { list_->moveBy(places); });
  return action;
}

QString QueueView::textOf(const std::vector<std::string>& devices) const {
  return devices.empty() ? tr("as set") : qs(devices).join(QStringLiteral(", "));
}

void QueueView::setGpus(int count) {
  const QSignalBlocker blocker(devices_);
  devices_->clear();
  devices_->addItem(textOf({}));
  devices_->addItem(QStringLiteral("cpu"));
  std::vector<std::string> all;
  for (int gpu = 0; gpu < count; ++gpu) {
    all.push_back("cuda:" + std::to_string(gpu));
    devices_->addItem(qs(all.back()));
  }
  if (count > 1) devices_->addItem(textOf(all));
  devices_->setEditText(textOf(settings_.devices));
}

void QueueView::chooseDevices() {
  const QString text = devices_->currentText().trimmed();
  std::vector<std::string> devices;
  try {
    if (text != textOf({})) devices = parseDevices(toStd(text));
    problem_->hide();
  } catch (const Error& error) {
    problem_->setText(QString::fromUtf8(error.what()));
    problem_->show();
    return;
  }
  devices_->setEditText(textOf(devices));
  if (devices == settings_.devices) return;
  settings_.devices = devices;
  emit settingsChosen(settings_);
}

void QueueView::setSettings(const QueueSettings& settings) {
  settings_ = settings;
  const QSignalBlocker blocker(atOnce_);
  atOnce_->setValue(settings.atOnce);
  if (!devices_->lineEdit()->hasFocus()) devices_->setEditText(textOf(settings.devices));
}

void QueueView::setActivity(const std::vector<RunActivity>& runs) {
  list_->setActivity(runs);
  list_->setVisible(!runs.empty());
  empty_->setVisible(runs.empty());
  enableMoves();
}

void QueueView::enableMoves() {
  earlier_->setEnabled(list_->canMoveBy(-1));
  later_->setEnabled(list_->canMoveBy(1));
}

void QueueView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  emit shown();
}

}  // namespace strata::ui
