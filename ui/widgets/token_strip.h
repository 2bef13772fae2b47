#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

namespace strata::ui {

// The tokens of a sentence as chips with their probabilities (exp of the natural log-probability):
// the more probable, the longer the bar below the token. Wraps like text.
class TokenStrip : public QWidget {
  Q_OBJECT
 public:
  explicit TokenStrip(QWidget* parent = nullptr);

  void setTokens(QStringList tokens, std::vector<double> logProbabilities);
  const QStringList& tokens() const { return tokens_; }

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::vector<QRect> chips(int width) const;

  QStringList tokens_;
  std::vector<double> logProbabilities_;
};

}  // namespace strata::ui
