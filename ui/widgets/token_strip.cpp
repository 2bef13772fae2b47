#include "ui/widgets/token_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/inside/target_attention.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kTokenPadding = 8, kTokenGap = 5, kTokenBar = 4;
}

TokenStrip::TokenStrip(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setFocusPolicy(Qt::NoFocus);  // nothing to walk through
}

void TokenStrip::setTokens(QStringList tokens, std::vector<double> logProbabilities) {
  tokens_ = std::move(tokens);
  logProbabilities_ = std::move(logProbabilities);
  logProbabilities_.resize(std::size_t(tokens_.size()), std::nan(""));
  setFocusPolicy(tokens_.isEmpty() ? Qt::NoFocus : Qt::StrongFocus);
  current_ = -1;
  updateGeometry();
  update();
}

std::vector<QRect> TokenStrip::chips(int width) const {
  std::vector<QRect> rects;
  const QFontMetrics metrics(font());
  const int height = metrics.height() + 8 + kTokenBar;
  int x = 0, y = 0;
  for (const QString& token : tokens_) {
    const int chip = metrics.horizontalAdvance(token) + 2 * kTokenPadding;
    if (x > 0 && x + chip > width) {
      x = 0;
      y += height + kTokenGap;
    }
    rects.emplace_back(x, y, chip, height);
    x += chip + kTokenGap;
  }
  return rects;
}

void TokenStrip::setCurrent(int token) {
  current_ = std::clamp(token, -1, int(tokens_.size()) - 1);
  if (current_ >= 0)
    setAccessibleDescription(
        tr("%1, probability %2")
            .arg(tokens_[current_])
            .arg(std::exp(logProbabilities_[std::size_t(current_)]), 0, 'f', 3));
  update();
}

QStringList TokenStrip::words() const {
  const auto tokens = toStd(tokens_);
  QStringList words = qs(joinedWords(tokens, wordStarts(tokens)));
  if (!words.isEmpty() && words.last() == QLatin1String("</s>")) words.removeLast();
  return words;
}

int TokenStrip::wordOf(int token) const {
  const auto starts = wordStarts(toStd(tokens_));
  return int(std::ranges::upper_bound(starts, std::size_t(token)) - starts.begin()) - 1;
}

void TokenStrip::setCurrentWord(int word) {
  const auto starts = wordStarts(toStd(tokens_));
  if (word >= 0 && word + 1 < int(starts.size()))  // the last is their end
    setCurrent(int(starts[std::size_t(word)]));
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
  const std::vector<QRect> rects = chips(width());
  for (int i = 0; i < int(rects.size()); ++i) {
    if (!rects[std::size_t(i)].contains(event->pos())) continue;
    setCurrent(i);
    emit chosen(i);
  }
}

void TokenStrip::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key == Qt::Key_Left || key == Qt::Key_Right) {
    setCurrent(std::max(0, current_ + (key == Qt::Key_Right ? 1 : -1)));
  } else if ((key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) &&
             current_ >= 0) {
    emit chosen(current_);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void TokenStrip::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (current_ < 0 && event->reason() != Qt::MouseFocusReason) setCurrent(0);
}

int TokenStrip::heightForWidth(int width) const {
  const std::vector<QRect> rects = chips(width);
  return rects.empty() ? 0 : rects.back().bottom() + 2;
}

QSize TokenStrip::sizeHint() const {
  return {360, heightForWidth(std::max(200, width()))};
}

void TokenStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const std::vector<QRect> rects = chips(width());
  for (std::size_t i = 0; i < rects.size(); ++i) {
    const QRectF chip = QRectF(rects[i]).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(int(i) == current_ ? QPen(t.accent, 2) : QPen(t.border, 1));
    painter.setBrush(t.raised);
    painter.drawRoundedRect(chip, 5, 5);
    painter.setPen(t.text);
    painter.drawText(rects[i].adjusted(0, 2, 0, -kTokenBar - 2), Qt::AlignCenter,
                     tokens_[qsizetype(i)]);
    const double probability = std::exp(logProbabilities_[i]);
    if (!std::isfinite(probability)) continue;
    const QRectF track(chip.left() + kTokenPadding, chip.bottom() - kTokenBar - 2,
                       chip.width() - 2 * kTokenPadding, kTokenBar - 1);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.border);
    painter.drawRoundedRect(track, 1.5, 1.5);
    painter.setBrush(probability < 0.5 ? t.warning : t.accent);
    painter.drawRoundedRect(QRectF(track.left(), track.top(),
                                   track.width() * std::min(1.0, probability), track.height()),
                            1.5, 1.5);
  }
}

bool TokenStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const std::vector<QRect> rects = chips(width());
  QString text;
  for (std::size_t i = 0; i < rects.size(); ++i) {
    if (!rects[i].contains(help->pos())) continue;
    text = tr("%1\nlog-probability %2, probability %3")
               .arg(tokens_[qsizetype(i)])
               .arg(logProbabilities_[i], 0, 'f', 3)
               .arg(std::exp(logProbabilities_[i]), 0, 'f', 3);
  }
  showTip(help->globalPos(), text, this);  // an empty text hides it
  return true;
}

}  // namespace strata::ui
