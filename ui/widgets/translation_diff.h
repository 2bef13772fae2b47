#pragma once
#include <QColor>
#include <QString>
#include <QWidget>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/comparison.h"
#include "core/metrics/word_diff.h"

class QComboBox;
class QHelpEvent;
class QKeyEvent;
class QLabel;
class QTextCursor;
class QTextEdit;
class QTextTable;
class QTextTableFormat;

namespace strata::ui {

// A sentence's score and its difference from the baseline as panels write them: the triangle points
// up if the translation is better, whatever the sign, so that colour is not the only mark.
QString scoreText(double score);                                             // 34.52
QString differenceText(const MetricComparison& metric, double difference);   // ▲ +1.20
QColor differenceColour(const MetricComparison& metric, double difference);  // of the theme

// One sentence side by side: source, references and every system with its score, its word-by-word
// difference from the baseline, and the n-grams that a reference confirms. Words are those of
// Comparison::tokenizedSystems, counted from 0; their spacing is that of the file.
class TranslationDiff : public QWidget {
  Q_OBJECT
 public:
  enum class Against { kBaseline, kReference, kNothing };
  enum class Side { kSource, kReference, kSystem };

  explicit TranslationDiff(QWidget* parent = nullptr);

  void setComparison(std::shared_ptr<const Comparison> comparison);
  void showSentence(std::size_t position);  // in Comparison::sentences; out of range: shows nothing
  void clear();
  std::optional<std::size_t> position() const { return position_; }

  void setAgainst(Against against);
  Against against() const;
  std::size_t currentSystem() const { return currentSystem_; }
  void setCurrentSystem(std::size_t system);

  QString systemText(std::size_t system) const;  // its translation, without missing words
  // Of a system's word in the text's viewport; empty if it is not shown.
  QRect wordRect(std::size_t system, int word) const;
  QTextEdit* text() const { return text_; }

  // Character format property that marks missing words, which are not part of the translation.
  static constexpr int kMissingProperty = 0x100001;

 signals:
  void wordActivated(std::size_t system, std::size_t sentencePosition, int word);
  void currentSystemChanged(std::size_t system);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Word {
    QString gap, text;  // `gap` precedes it
    std::string key;    // compared string
  };
  struct Row {
    Side side = Side::kSystem;
    std::size_t index = 0;  // of the reference or system
    std::vector<Word> words = {};
  };
  // Of a row from `left`, and the orders of its confirmed words.
  struct Differences {
    const std::vector<DiffRun>& runs;
    const Row* left = nullptr;
    const std::vector<int>& orders;
  };
  // The position of a word in the document.
  struct Mark {
    int begin = 0, end = 0;
    std::size_t row = 0;
    int word = 0;  // -1: the row lacks it
    int order = 0;
    bool inserted = false;
    std::string key = {};
  };

  void makeHead();
  std::vector<Word> wordsOf(std::string_view line, std::string_view tokenized) const;
  void readRows();
  void rebuild();
  void refreshLegend();
  QTextTableFormat tableFormat() const;
  QString nameOf(const Row& row) const;
  void fillHead(std::size_t row) const;
  void fillText(std::size_t row);
  void insertRuns(QTextCursor& cursor, std::size_t row, const Differences& found);
  void insertWord(QTextCursor& cursor, const Word& word, Mark mark);
  const Row* base(const Row& row) const;  // the row that `row` is compared with; nullptr: none
  bool fitsComparing() const;
  std::size_t rowOf(std::size_t system) const;
  bool isRightToLeft(std::size_t system) const;
  void paintCurrentRow(bool on);
  const Mark* markAt(const QPoint& inViewport) const;
  void light(const Mark* mark);
  bool keyPressed(QKeyEvent* event);
  void stepWord(int by);
  void copy() const;
  void clicked(const QPoint& inViewport);
  bool showTip(QHelpEvent* event);

  std::shared_ptr<const Comparison> comparison_;
  std::optional<std::size_t> position_;
  std::size_t currentSystem_ = 0;
  std::vector<Row> rows_;
  std::vector<Mark> marks_;  // sorted by begin
  int highlighted_ = -1;     // of marks_; the word under the mouse or that of the keyboard
  QLabel *title_, *legend_;
  QComboBox* against_;
  QTextEdit* text_;
  QTextTable* table_ = nullptr;  // owned by the document
};

}  // namespace strata::ui
