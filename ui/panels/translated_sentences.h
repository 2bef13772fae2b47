#pragma once
#include <QStringList>
#include <QTableWidget>
#include <optional>
#include <vector>

#include "core/run/serve_protocol.h"

namespace strata::ui {

// The sentences of a text, what a model makes of each, and why it refuses one. As a table, which is
// shown if there are several; the current one is the one that Translate shows.
class TranslatedSentences : public QTableWidget {
  Q_OBJECT
 public:
  explicit TranslatedSentences(QWidget* parent = nullptr);

  void setSentences(const QStringList& sentences);  // without replies; the first is the current one
  const QStringList& sentences() const { return sentences_; }
  bool areSeveral() const { return sentences_.size() > 1; }
  int current() const;  // -1: there is none
  void replace(int sentence, const QString& text);

  void setReply(int sentence, serve::TranslateReply reply);
  void setProblem(int sentence, const QString& problem);
  void forget(int sentence);                               // its reply
  const serve::TranslateReply* reply(int sentence) const;  // without hypotheses: it was refused
  QString problem(int sentence) const;                     // why; empty: it was not
  int firstWithoutReply() const;                           // -1: all have one

 private:
  struct Answer {
    std::optional<serve::TranslateReply> reply = {};
    QString problem = {};
  };
  void showAnswer(int sentence);

  QStringList sentences_;
  std::vector<Answer> answers_;
};

}  // namespace strata::ui
