#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

namespace strata::ui {

// The tokens of a sentence as chips with their probabilities (exp of the natural log-probability):
// the more probable, the longer the bar below the token. Wraps like text. A token is chosen by a
// click, or by the arrow keys and Enter.
class TokenStrip : public QWidget {
  Q_OBJECT
 public:
  explicit TokenStrip(QWidget* parent = nullptr);

  void setTokens(QStringList tokens, std::vector<double> logProbabilities);
  const QStringList& tokens() const { return tokens_; }
  int current() const { return current_; }  // under the keyboard's cursor; -1: none
  void setCurrent(int token);
  // A word may be several tokens.
  QStringList words() const;    // without the end of the sentence
  int wordOf(int token) const;  // its index
  void setCurrentWord(int word);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 signals:
  void chosen(int token);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::vector<QRect> chips(int width) const;

  QStringList tokens_;
  std::vector<double> logProbabilities_;
  int current_ = -1;
};

}  // namespace strata::ui
