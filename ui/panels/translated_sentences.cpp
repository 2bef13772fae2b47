#include "ui/panels/translated_sentences.h"

#include <QSignalBlocker>
#include <utility>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {

TranslatedSentences::TranslatedSentences(QWidget* parent) : QTableWidget(0, 2, parent) {
  setPlain(this, {tr("sentence"), tr("translation")});
  setColumnWidth(0, 200);
  setMinimumHeight(90);
  setMaximumHeight(170);
  hide();
}

void TranslatedSentences::setSentences(const QStringList& sentences) {
  const QSignalBlocker blocker(this);
  sentences_ = sentences;
  answers_.assign(std::size_t(sentences.size()), {});
  setVisible(areSeveral());
  setRowCount(int(sentences.size()));
  for (int row = 0; row < int(sentences.size()); ++row) {
    setItem(row, 0, new QTableWidgetItem(sentences[row]));
    setItem(row, 1, new QTableWidgetItem);
  }
  setCurrentCell(0, 0);
}

int TranslatedSentences::current() const {
  return areSeveral() ? currentRow() : int(sentences_.size()) - 1;
}

void TranslatedSentences::replace(int sentence, const QString& text) {
  sentences_[sentence] = text;
  item(sentence, 0)->setText(text);
}

void TranslatedSentences::setReply(int sentence, serve::TranslateReply reply) {
  answers_[std::size_t(sentence)] = {.reply = std::move(reply)};
  showAnswer(sentence);
}

void TranslatedSentences::setProblem(int sentence, const QString& problem) {
  answers_[std::size_t(sentence)] = {.reply = serve::TranslateReply{}, .problem = problem};
  showAnswer(sentence);
}

void TranslatedSentences::showAnswer(int sentence) {
  const Answer& answer = answers_[std::size_t(sentence)];
  const auto& found = answer.reply->hypotheses;
  item(sentence, 1)->setText(found.empty() ? answer.problem : qs(found.front().text));
}

void TranslatedSentences::forget(int sentence) {
  answers_[std::size_t(sentence)] = {};
}

const serve::TranslateReply* TranslatedSentences::reply(int sentence) const {
  if (sentence < 0 || sentence >= int(answers_.size())) return nullptr;
  const auto& reply = answers_[std::size_t(sentence)].reply;
  return reply ? &*reply : nullptr;
}

QString TranslatedSentences::problem(int sentence) const {
  return reply(sentence) ? answers_[std::size_t(sentence)].problem : QString();
}

int TranslatedSentences::firstWithoutReply() const {
  for (int sentence = 0; sentence < int(answers_.size()); ++sentence) {
    if (!reply(sentence)) return sentence;
  }
  return -1;
}

}  // namespace strata::ui
