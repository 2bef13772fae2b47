#pragma once
#include <QComboBox>
#include <QStringList>
#include <optional>

#include "ui/data/selection.h"
#include "ui/data/values.h"

namespace strata::ui {

// Chooses a stored checkpoint of a run by its selector: "best", "last", or a step. It follows the
// window's selection: of its steps it shows the last one that is not after the chosen step.
class CheckpointBox : public QComboBox {
  Q_OBJECT
 public:
  explicit CheckpointBox(QWidget* parent = nullptr);

  // Emits nothing, also if what was chosen is not among them: then the first is.
  void setSelectors(const QStringList& selectors);
  QString selector() const;              // what is wanted while nothing is listed
  void choose(const QString& selector);  // as soon as it is listed
  void follow(const Selection& choice);  // where it lists nothing that fits, it stays
  static bool isStep(const QString& selector);
  // "best", "step 1,200"
  static QString textOf(const QString& selector);

 private:
  QStringList listed() const;
  void showStep();

  QString wanted_ = QStringLiteral("best");
  std::optional<qint64> wantedStep_;  // chosen in the window
};

// "best", "last", and the steps of a run's stored checkpoints, the newest first.
QStringList checkpointSelectors(const RunDetails& run);
// The same choice of another run: of a step the last one that is not after it, if there is one.
std::optional<QString> sameCheckpoint(const QString& selector, const RunDetails& run);

}  // namespace strata::ui
