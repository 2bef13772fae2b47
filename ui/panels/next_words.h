#pragma once
#include <QStringList>
#include <QTableWidget>

#include "core/run/serve_protocol.h"

namespace strata::ui {

// The words that a model finds most likely at a place of a translation, and their probabilities.
// Enter or a double click chooses one.
class NextWords : public QTableWidget {
  Q_OBJECT
 public:
  explicit NextWords(QWidget* parent = nullptr);

  // Of the place behind `prefix`, tokens of the model.
  void ask(const ModelChoice& model, const QString& sentence, const QStringList& prefix);
  void clearWords();
  void setReply(const serve::StepReply& reply);  // ignored unless it answers the latest question

 signals:
  void requested(const strata::serve::StepRequest& request);
  void chosen(const QStringList& prefix);  // the word included

 private:
  QStringList prefix_;
};

}  // namespace strata::ui
