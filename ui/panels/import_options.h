#pragma once
#include <QVector>
#include <QWidget>

#include "core/data/prepare_fields.h"

namespace strata::ui {

// How a corpus is prepared: a field for each of prepareFields(), the rarely used ones hidden until
// they are asked for.
class ImportOptions : public QWidget {
  Q_OBJECT
 public:
  explicit ImportOptions(QWidget* parent = nullptr);

  void setOptions(const PrepareOptions& options);
  void addOptionsTo(PrepareOptions& options) const;
  void setRareVisible(bool visible);

 signals:
  void edited();  // also by setOptions

 private:
  struct Field {
    const PrepareField* field;
    QWidget* widget;
  };

  QWidget* makeField(const PrepareField& field, QWidget* parent);

  QVector<Field> fields_;
  QWidget* rare_;
};

}  // namespace strata::ui
