#pragma once
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <cstddef>
#include <optional>

#include "core/compare/comparison_filter.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace strata::ui {

// Controls that build a SentenceFilter. Rarely used conditions are in a second row that "More"
// opens. An invalid number or an empty range is reported below and has no effect until it is fixed.
class FilterBar : public QWidget {
  Q_OBJECT
 public:
  explicit FilterBar(QWidget* parent = nullptr);

  // What can be filtered by. Resets all conditions; emits nothing.
  void setSystems(const QStringList& names, std::size_t baseline);
  void setUnknownWordsKnown(bool known);
  void setSourceKnown(bool known);

  void setPattern(const QString& pattern);  // as if typed

  SentenceFilter filter() const;
  bool isSet() const { return conditions() + moreConditions() > 0; }  // any condition to reset
  void clear();                                                       // emits nothing
  void reset();                                                       // emits at once
  // Shown at the pattern field until it is edited; empty: none.
  void showError(const QString& message);
  QString error() const;

 signals:
  void changed(const strata::SentenceFilter& filter);  // 200 ms after the last edit

 protected:
  void changeEvent(QEvent* event) override;

 private:
  // Two fields; an empty one means no limit.
  struct Range {
    QLineEdit *low = nullptr, *high = nullptr;
    QString name = {};
  };

  void makeRow();
  void makeMoreRow();
  QComboBox* makeChoice(const QString& name, const QString& accessible, const QStringList& items);
  Range makeRange(const QString& name, const QString& text, QHBoxLayout* row);
  QString problem(const Range& range) const;  // why the range is invalid; empty: it is valid
  NumberRange read(const Range& range) const;
  std::vector<const Range*> ranges() const { return {&length_, &score_, &difference_}; }
  int conditions() const;      // of the first row
  int moreConditions() const;  // of the second
  void edited();
  void send();
  void restyle();

  std::size_t baseline_ = 0;
  QLineEdit* pattern_;
  QComboBox *where_, *system_, *outcome_, *unknown_;
  QToolButton *case_, *more_, *reset_;
  QWidget* moreRow_;
  QLabel *unknownLabel_, *error_;
  Range length_, score_, difference_;
  QString patternError_;
  bool unknownKnown_ = false;
  QTimer timer_;
};

}  // namespace strata::ui
