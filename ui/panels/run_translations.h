#pragma once
#include <QVector>
#include <QWidget>

#include "core/run/serve_protocol.h"
#include "ui/data/values.h"

class QLabel;

namespace strata::ui {
class TranslationsTable;

// What other runs make of the sentence that Translate shows: those drawn in the window that can
// translate, with the same checkpoint; of a step with their last one that is not after it. It asks
// only while it is visible, one run after the other.
class RunTranslations : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kMostRuns = 8;

  explicit RunTranslations(QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // that can translate
  void setDrawn(const QVector<qint64>& runs);
  // The sentence, as it was asked of `request.model`, and what that made of it, from which the
  // others' words are marked where they differ.
  void setSentence(const serve::TranslateRequest& request, const Hypothesis& best);
  void clear();
  // Answers to the latest request.
  void setTranslation(const serve::TranslateReply& reply);
  void setTranslationError(const QString& message);

 signals:
  void requested(const strata::serve::TranslateRequest& request);
  void cancelRequested();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Row {
    qint64 run = 0;
    QString checkpoint = {}, name = {}, text = {}, score = {};
    bool answered = false, refused = false;  // refused: the text says why
  };
  QVector<Row> wanted() const;  // answers of runs that stay are kept
  Row rowOf(const RunRow& run) const;
  void list();
  void ask();
  void fill(int row);

  QVector<RunRow> runs_;
  QVector<qint64> drawn_;
  serve::TranslateRequest request_;  // of the run that Translate shows; without text: none
  Row own_;
  QVector<Row> rows_;
  int asked_ = -1;  // of rows_; -1: none is being asked
  TranslationsTable* table_;
  QLabel* hint_;
};

}  // namespace strata::ui
