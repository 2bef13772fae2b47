#pragma once
#include <QFontMetrics>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QStyledItemDelegate>

namespace strata::ui {

// Names that stand side by side where there is little room, such as those of runs. What a name
// shares with most of the others is left out first, since it tells least.
class ShortNames {
 public:
  ShortNames() = default;
  explicit ShortNames(const QStringList& names) { setNames(names); }

  void setNames(const QStringList& names);

  // `name` if it is not wider than `room` (pixels). Otherwise its words (what stands between the
  // characters - . _ / and spaces) that more than half of the names have become "…", the most
  // frequent one first, until it fits: "demo-mlrf.demo.s1" is "…mlrf…s1" beside "demo-base.demo.s1"
  // and "demo-dhea.demo.s2". What is still too wide is elided in the middle.
  QString fit(const QString& name, const QFontMetrics& metrics, int room) const;

 private:
  QHash<QString, int> counts_;  // of each word: the names that have it
  int names_ = 0;
};

// Draws the names of a view as ShortNames does.
class ShortNameDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void setNames(const QStringList& names) { names_.setNames(names); }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  ShortNames names_;
};

}  // namespace strata::ui
