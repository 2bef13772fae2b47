#pragma once
#include <QVector>
#include <QWidget>

class QGridLayout;
class QLabel;

namespace strata::ui {

// Fields with their labels in aligned columns: as many beside each other as there is room for.
class FieldGrid : public QWidget {
  Q_OBJECT
 public:
  FieldGrid(int most, QWidget* parent);  // fields in a row, at most

  void add(const QString& title, QWidget* field);  // after a label
  void add(QWidget* field);                        // whose text is its label
  int columns() const { return columns_; }         // fields in a row now

  QSize minimumSizeHint() const override;  // that of one field in a row

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Field {
    QLabel* label;  // null: none
    QWidget* widget;
  };

  int widthOf(int columns) const;  // that so many fields in a row need
  void place(int columns);

  int most_, columns_ = 0;
  QVector<Field> fields_;
  QGridLayout* layout_;
};

}  // namespace strata::ui
