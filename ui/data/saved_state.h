#pragma once
#include <QStringList>
#include <QVector>
#include <limits>
#include <optional>

#include "core/base/json.h"

namespace strata::ui {

Json jsonOf(const QStringList& texts);
Json jsonOf(const QVector<qint64>& numbers);

// Reads a panel's saved state. A setting that is absent or invalid reads as nothing and leaves its
// widget alone.
class SavedState {
 public:
  explicit SavedState(const Json& json);

  std::optional<qint64> number(const char* key, qint64 lowest = 0,
                               qint64 highest = std::numeric_limits<qint64>::max()) const;
  std::optional<bool> flag(const char* key) const;
  std::optional<QString> text(const char* key) const;
  std::optional<QStringList> texts(const char* key) const;
  std::optional<QVector<qint64>> numbers(const char* key) const;

  template <typename Box>  // QCheckBox, QAction
  void check(const char* key, Box* box) const {
    if (const auto on = flag(key)) box->setChecked(*on);
  }
  template <typename Box>  // QSpinBox, QSlider
  void value(const char* key, Box* box) const {
    if (const auto set = number(key, box->minimum(), box->maximum())) box->setValue(int(*set));
  }
  template <typename Box>  // QComboBox, QTabWidget
  void index(const char* key, Box* box) const {
    if (const auto set = number(key, 0, box->count() - 1)) box->setCurrentIndex(int(*set));
  }
  template <typename Edit>
  void line(const char* key, Edit* edit) const {
    if (const auto set = text(key)) edit->setText(*set);
  }

 private:
  const Json* find(const char* key) const;  // null: absent
  // Null unless it is an array of such items.
  const Json* findList(const char* key, bool (Json::*is)() const noexcept) const;

  Json json_;
};

}  // namespace strata::ui
