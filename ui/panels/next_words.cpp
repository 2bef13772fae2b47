#include "ui/panels/next_words.h"

#include <cmath>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kNextWords = 12;
}

NextWords::NextWords(QWidget* parent) : QTableWidget(0, 3, parent) {
  setPlain(this, {tr("word"), tr("probability"), QString()});
  setToolTip(tr("Enter translates again with this word"));
  connect(this, &QTableWidget::cellActivated, this,
          [this](int row) { emit chosen(prefix_ + QStringList{item(row, 0)->text()}); });
}

void NextWords::ask(const ModelChoice& model, const QString& sentence, const QStringList& prefix) {
  prefix_ = prefix;
  emit requested(
      {.model = model, .text = toStd(sentence), .prefix = toStd(prefix), .topk = kNextWords});
}

void NextWords::clearWords() {
  setRowCount(0);
}

void NextWords::setReply(const serve::StepReply& reply) {
  if (reply.prefix != toStd(prefix_)) return;
  setRowCount(int(reply.next.size()));
  for (int row = 0; row < int(reply.next.size()); ++row) {
    const auto& next = reply.next[std::size_t(row)];
    setItem(row, 0, new QTableWidgetItem(qs(next.token)));
    setItem(row, 1, new QTableWidgetItem(QString::number(std::exp(next.logProbability), 'f', 4)));
    setItem(row, 2, new QTableWidgetItem);
  }
  setCurrentCell(0, 0);
}

}  // namespace strata::ui
