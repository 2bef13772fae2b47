#pragma once
#include <QColor>
#include <QString>
#include <QWidget>
#include <cstddef>
#include <memory>
#include <optional>

#include "core/compare/comparison.h"
#include "ui/widgets/diff_document.h"
#include "ui/widgets/sentence_rows.h"

class QComboBox;
class QHelpEvent;
class QKeyEvent;
class QLabel;
class QTextEdit;

namespace strata::ui {

// A sentence's score and its difference from the baseline as panels write them: the triangle points
// up if the translation is better, whatever the sign, so that colour is not the only mark.
QString scoreText(const MetricComparison& metric, double score);             // 34.52; – for NaN
QString differenceText(const MetricComparison& metric, double difference);   // ▲ +1.20
QColor differenceColour(const MetricComparison& metric, double difference);  // of the theme

// One sentence side by side: source, references and every system with its score, its word-by-word
// difference from the baseline, and the n-grams that a reference confirms. Words are those of
// SentenceRows.
class TranslationDiff : public QWidget {
  Q_OBJECT
 public:
  using Against = SentenceRows::Against;

  explicit TranslationDiff(QWidget* parent = nullptr);

  void setComparison(std::shared_ptr<const Comparison> comparison);
  void showSentence(std::size_t position);  // in Comparison::sentences; out of range: shows nothing
  void clear();
  std::optional<std::size_t> position() const;

  void setAgainst(Against against);
  Against against() const;
  std::size_t currentSystem() const { return currentSystem_; }
  void setCurrentSystem(std::size_t system);

  QString systemText(std::size_t system) const;  // its translation, without missing words
  // Of a system's word in the text's viewport; empty if it is not shown.
  QRect wordRect(std::size_t system, int word) const;
  QTextEdit* text() const { return text_; }

 signals:
  void wordActivated(std::size_t system, std::size_t sentencePosition, int word);
  void currentSystemChanged(std::size_t system);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  using Mark = DiffDocument::Mark;

  void makeHead();
  void rebuild();
  void refreshTitle();
  void refreshLegend();
  void paintCurrentRow(bool on);
  bool isSystem(const Mark& mark) const;
  const Mark* highlighted() const;
  const Mark* markAt(const QPoint& inViewport) const;
  void light(const Mark* mark);
  bool keyPressed(QKeyEvent* event);
  void stepWord(int by);
  void copy() const;
  void clicked(const QPoint& inViewport);
  bool showTip(QHelpEvent* event);

  std::shared_ptr<const Comparison> comparison_;
  std::optional<SentenceRows> sentence_;
  std::optional<DiffDocument> document_;  // shows sentence_
  std::size_t currentSystem_ = 0;
  int highlighted_ = -1;  // of the marks; the word under the mouse or that of the keyboard
  QLabel *title_, *legend_;
  QComboBox* against_;
  QTextEdit* text_;
};

}  // namespace strata::ui
