#include "ui/panels/compare_imports.h"

#include <QWidget>

#include "ui/widgets/import_scores_dialog.h"

namespace strata::ui {

CompareImports::CompareImports(QWidget* parent) : QObject(parent) {}

QWidget* CompareImports::owner() const {
  return static_cast<QWidget*>(parent());
}

void CompareImports::open(ImportDialog* dialog) {
  dialog_ = dialog;
  dialog->open();
}

void CompareImports::finish(const QString& message) {
  if (dialog_) dialog_->accept();
  emit notice(message);
  emit imported();
}

void CompareImports::askForSystem(const QString& testSet, const QString& path) {
  if (known_.sets.empty()) {
    emit failed(tr("There is no test set for these translations: import its references first."));
    return;
  }
  auto* dialog = new ImportSystemDialog(known_.sets, testSet, owner());
  if (!path.isEmpty()) dialog->setFile(path);
  connect(dialog, &ImportDialog::importRequested, this,
          [this, dialog] { emit systemRequested(dialog->system()); });
  open(dialog);
}

void CompareImports::askForScores(const QString& testSet) {
  if (known_.systems.empty()) {
    emit failed(tr("There is no translation to which scores could belong: import one first."));
    return;
  }
  auto* dialog = new ImportScoresDialog(known_.systems, testSet, owner());
  connect(dialog, &ImportScoresDialog::previewRequested, this,
          &CompareImports::scoresPreviewRequested);
  connect(dialog, &ImportDialog::importRequested, this,
          [this, dialog] { emit scoresRequested(dialog->request()); });
  open(dialog);
}

void CompareImports::askForTestSet() {
  auto* dialog = new ImportTestSetDialog(owner());
  connect(dialog, &ImportDialog::importRequested, this,
          [this, dialog] { emit testSetRequested(dialog->testSet()); });
  open(dialog);
}

void CompareImports::confirmSystem(const QString& name, const QStringList& warnings) {
  finish(warnings.isEmpty() ? tr("%1 imported.").arg(name)
                            : tr("%1 imported: %2").arg(name, warnings.join(QStringLiteral("; "))));
}

void CompareImports::confirmTestSet(const QString& id) {
  finish(tr("Test set %1 imported. Next, import translations of it.").arg(id));
}

void CompareImports::confirmScores(const QString& metric, int systems) {
  finish(tr("%1 imported for %n system(s).", nullptr, systems).arg(metric));
}

void CompareImports::setScoresPreview(const ScoresPreview& preview) {
  if (auto* dialog = qobject_cast<ImportScoresDialog*>(dialog_.data())) dialog->setPreview(preview);
}

void CompareImports::showError(const QString& message) {
  if (dialog_) {
    dialog_->showError(message);
  } else {
    emit failed(message);
  }
}

}  // namespace strata::ui
