#pragma once
#include <QStringList>
#include <QWidget>

#include "core/base/json.h"

class QHBoxLayout;
class QLabel;
class QMenu;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace strata::ui {
class SavedState;

// The text that Translate is to translate, one sentence per line, how it is searched for, and the
// texts of before: those translated, and those that the user keeps.
class TranslateInput : public QWidget {
  Q_OBJECT
 public:
  // `model`: what chooses it, before the settings of the search.
  explicit TranslateInput(const QList<QWidget*>& model, QWidget* parent = nullptr);

  QStringList sentences() const;  // without empty ones
  void setText(const QString& text);
  void remember(const QStringList& sentences);  // that are translated
  QStringList earlierSentences() const;         // of the texts kept and translated
  void setBusy(bool busy);
  void setStatus(const QString& status);
  int beam() const;  // of the search: at least as many as alternatives
  int alternatives() const;
  QHBoxLayout* buttons() const { return buttons_; }

  void saveState(Json& state) const;
  void restoreState(const SavedState& saved);

 signals:
  void translateRequested();
  void cancelRequested();
  void exampleRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSpinBox* addNumber(const QString& name, const QString& text, int value);
  void addButtons();
  void addHistory();
  void fillHistory(QMenu* menu);

  QPlainTextEdit* text_;
  QHBoxLayout *settings_, *buttons_;
  QSpinBox *beam_, *nbest_;
  QPushButton *translate_, *cancel_;
  QLabel* status_;
  QStringList history_, kept_;  // newest first
};

}  // namespace strata::ui
