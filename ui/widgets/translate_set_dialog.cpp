#include "ui/widgets/translate_set_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QListWidget>
#include <QPushButton>
#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

constexpr int kListHeight = 220;

// "multi30k-deen" of "multi30k-deen/test" and of "multi30k-deen@1/test".
QString datasetOf(const QString& set) {
  return set.section(QLatin1Char('/'), 0, 0).section(QLatin1Char('@'), 0, 0);
}

}  // namespace

TranslateSetDialog::TranslateSetDialog(const QVector<RunRow>& runs,
                                       const std::vector<TestSet>& sets, const QString& set,
                                       QWidget* parent)
    : QDialog(parent),
      all_(runs),
      set_(new QComboBox(this)),
      checkpoint_(new QComboBox(this)),
      runs_(new QListWidget(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Cancel, this)) {
  setObjectName(QStringLiteral("translateSetDialog"));
  setWindowTitle(tr("Translate a test set"));
  setAttribute(Qt::WA_DeleteOnClose);
  set_->setObjectName(QStringLiteral("translateSet"));
  runs_->setObjectName(QStringLiteral("translateRuns"));
  runs_->setMinimumHeight(kListHeight);
  for (const TestSet& each : sets) {
    if (!each.imported && !qs(each.id).contains(QLatin1Char('@'))) set_->addItem(qs(each.id));
  }
  set_->setCurrentIndex(std::max(0, set_->findText(set)));
  checkpoint_->addItem(tr("best checkpoint by validation"), QStringLiteral("best"));
  checkpoint_->addItem(tr("last checkpoint"), QStringLiteral("last"));
  auto* go = buttons_->addButton(tr("Translate"), QDialogButtonBox::AcceptRole);
  go->setObjectName(QStringLiteral("translateButton"));
  go->setDefault(true);
  auto* form = new QFormLayout(this);
  form->addRow(tr("Test set"), set_);
  form->addRow(tr("Runs"), runs_);
  form->addRow(tr("Checkpoint"), checkpoint_);
  form->addRow(buttons_);
  connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(set_, &QComboBox::currentIndexChanged, this, &TranslateSetDialog::fillRuns);
  connect(runs_, &QListWidget::itemChanged, this, &TranslateSetDialog::check);
  fillRuns();
}

// Runs on the set's dataset.
void TranslateSetDialog::fillRuns() {
  runs_->clear();
  for (const RunRow& run : all_) {
    if (run.dataset != datasetOf(set_->currentText())) continue;
    auto* item = new QListWidgetItem(run.name, runs_);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(Qt::Unchecked);
    item->setData(Qt::UserRole, run.id);
  }
  check();
}

void TranslateSetDialog::check() {
  buttons_->findChild<QPushButton*>(QStringLiteral("translateButton"))
      ->setEnabled(!tasks().isEmpty());
}

QVector<SetTranslations::Task> TranslateSetDialog::tasks() const {
  QVector<SetTranslations::Task> tasks;
  for (int row = 0; row < runs_->count(); ++row) {
    const QListWidgetItem* item = runs_->item(row);
    if (item->checkState() != Qt::Checked) continue;
    tasks << SetTranslations::Task{item->data(Qt::UserRole).toLongLong(), item->text(),
                                   set_->currentText().section(QLatin1Char('/'), 1),
                                   checkpoint_->currentData().toString()};
  }
  return tasks;
}

}  // namespace strata::ui
