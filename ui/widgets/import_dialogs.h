#pragma once
#include <QDialog>
#include <vector>

#include "core/systems/stored_systems.h"

class QComboBox;
class QDialogButtonBox;
class QLineEdit;

namespace strata::ui {

// Asks for a file of translations and its test set. Not modal; `accepted` when it is complete.
class ImportSystemDialog : public QDialog {
  Q_OBJECT
 public:
  ImportSystemDialog(const std::vector<TestSet>& sets, const QString& set,
                     QWidget* parent = nullptr);

  void setFile(const QString& path);  // its name suggests the system's
  NewSystem system() const;

 private:
  void chooseFile();
  void check();

  QLineEdit *file_, *name_;
  QComboBox *set_, *format_, *state_;
  QDialogButtonBox* buttons_;
};

// Asks for references, one file each, and their source.
class ImportTestSetDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ImportTestSetDialog(QWidget* parent = nullptr);

  void setReferences(const QStringList& paths);
  NewTestSet testSet() const;

 private:
  void check();

  QLineEdit *name_, *references_, *source_;
  QComboBox* state_;
  QStringList paths_;
  QDialogButtonBox* buttons_;
};

}  // namespace strata::ui
