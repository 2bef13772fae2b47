#include "ui/panels/sweep_form.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSet>
#include <QSpinBox>
#include <QStringListModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kMostSeeds = 100;
}

SweepForm::SweepForm(const ConfigModel* model, QWidget* parent)
    : QWidget(parent),
      model_(model),
      seeds_(named(new QSpinBox(this), "launchSeeds", tr("Seeds"))),
      summary_(named(styled(new QLabel(this), "muted"), "sweepSummary")),
      problem_(named(styled(new QLabel(this), "warning"), "sweepProblem")),
      runs_(named(new QListWidget(this), "sweepRuns", tr("Runs of the sweep"))) {
  seeds_->setRange(1, kMostSeeds);
  seeds_->setToolTip(tr("How many runs of each configuration: seeds from the form's seed on.\n"
                        "Allowed: 1 to %1 runs")
                         .arg(kMostSeeds));
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 8, 8, 8}, 6);
  auto* note =
      styled(new QLabel(tr("Each combination of the values is a run, for each seed. Values "
                           "are separated by commas."),
                        this),
             "muted");
  note->setWordWrap(true);
  layout->addWidget(note);
  axesLayout_ = makeLayout<QVBoxLayout>(nullptr, {}, 4);
  layout->addLayout(axesLayout_);
  auto* bar = makeLayout<QHBoxLayout>(nullptr, {}, 6);
  auto* more = named(new QPushButton(tr("Add a setting"), this), "sweepAdd");
  more->setToolTip(tr("Vary a setting: the one that is chosen in the form, or type its name"));
  bar->addWidget(more);
  bar->addWidget(summary_, 1);
  layout->addLayout(bar);
  layout->addWidget(problem_);
  layout->addWidget(runs_, 1);
  layout->addStretch();  // while there are no runs
  problem_->setWordWrap(true);
  runs_->setUniformItemSizes(true);
  connect(more, &QPushButton::clicked, this, [this] {
    const ConfigField* field = model_->field(currentKey_);
    add(field ? currentKey_ : QString(), field ? configText(field->value()) : QString());
    (field ? axes_.back().values : axes_.back().key)->setFocus();
  });
  connect(seeds_, &QSpinBox::valueChanged, this, &SweepForm::check);
  connect(model_, &ConfigModel::modelReset, this, &SweepForm::readModel);
  check();
}

void SweepForm::add(const QString& path, const QString& values) {
  auto* box = named(new QWidget(this), QStringLiteral("sweepSetting"));
  auto* column = makeLayout<QVBoxLayout>(box, {}, 2);
  auto* row = makeLayout<QHBoxLayout>(nullptr, {}, 6);
  Axis axis{
      .box = box,
      .key = named(new QLineEdit(path, box), QStringLiteral("sweepKey"), tr("Setting")),
      .values = named(new QLineEdit(values, box), QStringLiteral("sweepValues"), tr("Values")),
      .problem = named(styled(new QLabel(box), "warning"), "sweepValuesProblem")};
  axis.key->setPlaceholderText(tr("setting"));
  axis.values->setPlaceholderText(QStringLiteral("0.1, 0.2"));
  axis.problem->setWordWrap(true);
  auto* completer = new QCompleter(axis.key);
  completer->setModel(new QStringListModel(model_->paths(), completer));
  completer->setFilterMode(Qt::MatchContains);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  axis.key->setCompleter(completer);
  auto* away = styled(
      named(new QToolButton(box), QStringLiteral("sweepRemove"), tr("Do not vary this setting")),
      "flat");
  away->setIcon(themedIcon(QStringLiteral("close")));
  away->setToolTip(tr("Do not vary this setting"));
  row->addWidget(axis.key, 3);
  row->addWidget(axis.values, 3);
  row->addWidget(away);
  column->addLayout(row);
  column->addWidget(axis.problem);
  axesLayout_->addWidget(box);
  axes_.push_back(axis);
  connect(axis.key, &QLineEdit::textChanged, this, &SweepForm::check);
  connect(axis.values, &QLineEdit::textChanged, this, &SweepForm::check);
  connect(away, &QToolButton::clicked, this, [this, box] { remove(box); });
  check();
}

// Which settings there are depends on the preset.
void SweepForm::readModel() {
  for (const Axis& axis : axes_)
    static_cast<QStringListModel*>(axis.key->completer()->model())->setStringList(model_->paths());
  check();
}

void SweepForm::remove(QWidget* box) {
  std::erase_if(axes_, [box](const Axis& axis) { return axis.box == box; });
  box->hide();
  box->deleteLater();
  check();
}

void SweepForm::clear() {
  while (!axes_.empty()) remove(axes_.back().box);
  seeds_->setValue(1);
}

bool SweepForm::isSweep() const {
  return !axes_.empty() || seeds_->value() > 1;
}

QString SweepForm::problemOf(const Axis& axis) const {
  const QString key = axis.key->text().trimmed();
  if (key.isEmpty()) return tr("Choose a setting, or take the line away.");
  if (key == QLatin1String("seed")) return tr("The number of seeds is chosen above.");
  const ConfigField* field = model_->field(key);
  if (!field) return tr("There is no setting %1.").arg(key);
  for (const Axis& other : axes_) {
    if (other.box == axis.box) break;
    if (other.key->text().trimmed() == key) return tr("%1 is listed twice.").arg(key);
  }
  if (axis.values->text().trimmed().isEmpty()) return tr("%1 has no values yet.").arg(key);
  try {
    QSet<QString> seen;
    for (const std::string& each : parseGridValues(toStd(key), toStd(axis.values->text()))) {
      const QString value = qs(each);
      QString error;
      if (!readConfigText(*field, value, &error)) return QStringLiteral("%1: %2").arg(value, error);
      if (seen.contains(value)) return tr("%1 has the value %2 twice.").arg(key, value);
      seen << value;
    }
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
  return {};
}

void SweepForm::check() {
  bool good = true;
  for (const Axis& axis : axes_) {
    axis.problem->setText(problemOf(axis));
    axis.problem->setVisible(!axis.problem->text().isEmpty());
    good = good && axis.problem->text().isEmpty();
  }
  QString much;
  if (const auto count = good ? runCount(sweepOf({})) : 0; count > kMostRuns)
    much = tr("These are %1 runs: at most %2 are queued at a time.")
               .arg(countText(qint64(count)), countText(qint64(kMostRuns)));
  problem_->setText(much);
  problem_->setVisible(!much.isEmpty());
  emit changed();
}

QString SweepForm::problem() const {
  for (const Axis& axis : axes_) {
    if (!axis.problem->text().isEmpty()) return axis.problem->text();
  }
  return problem_->text();
}

Sweep SweepForm::sweepOf(Sweep base) const {
  base.grid.clear();
  for (const Axis& axis : axes_) {
    const std::string key = toStd(axis.key->text().trimmed());
    base.grid.emplace_back(key, parseGridValues(key, toStd(axis.values->text())));
  }
  for (int i = 1; i < seeds_->value(); ++i) base.seeds.push_back(base.seeds.front() + quint64(i));
  return base;
}

void SweepForm::showRuns(const Sweep& sweep) {
  runs_->clear();
  const bool shown = isSweep() && problem().isEmpty();
  runs_->setVisible(shown);
  summary_->clear();
  if (!shown) return;
  try {
    for (const SweepRun& run : expandSweep(sweep)) runs_->addItem(qs(run.name));
    summary_->setText(tr("%n run(s)", nullptr, runs_->count()));
  } catch (const Error& error) {  // two values that look the same in a name
    problem_->setText(QString::fromUtf8(error.what()));
    problem_->show();
  }
}

Json SweepForm::saveState() const {
  QStringList lines;
  for (const Axis& axis : axes_) lines << axis.key->text() + QLatin1Char('=') + axis.values->text();
  return {{"seeds", seeds_->value()}, {"settings", jsonOf(lines)}};
}

void SweepForm::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.value("seeds", seeds_);
  for (const QString& line : saved.texts("settings").value_or(QStringList()))
    add(line.section(QLatin1Char('='), 0, 0), line.section(QLatin1Char('='), 1));
}

}  // namespace strata::ui
