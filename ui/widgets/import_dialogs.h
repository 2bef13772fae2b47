#pragma once
#include <QDialog>
#include <vector>

#include "core/systems/stored_systems.h"

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace strata::ui {

// A dialog that imports something. Not modal. "Import" emits importRequested and waits: the owner
// closes it when that is done, or shows why it failed; the entries stay then.
class ImportDialog : public QDialog {
  Q_OBJECT
 public:
  void showError(const QString& message);
  QString error() const;

 signals:
  void importRequested();

 protected:
  ImportDialog(const QString& name, const QString& title, QWidget* parent);

  // Adds the error and the buttons at the end of the form.
  void finishForm(QFormLayout* form);
  // Whether the entries are complete; an earlier error is cleared, since they have changed.
  void setReady(bool ready);

 private:
  void request();

  QLabel* error_;
  QPushButton* import_ = nullptr;
  bool ready_ = false;
};

// A name that is suggested by a file, typed or chosen, until the user writes one.
class SuggestedName {
 public:
  explicit SuggestedName(QLineEdit* field);
  void suggest(const QString& path);

 private:
  QLineEdit* field_;
  QString suggested_;
};

// A field for a path, with a button that asks for one file.
QWidget* pathField(QLineEdit* field, const QString& title, QWidget* parent);

// Asks for a file of translations and its test set.
class ImportSystemDialog : public ImportDialog {
  Q_OBJECT
 public:
  ImportSystemDialog(const std::vector<TestSet>& sets, const QString& set,
                     QWidget* parent = nullptr);

  void setFile(const QString& path);  // its name suggests the system's
  NewSystem system() const;

 private:
  void check();

  QLineEdit *file_, *name_;
  QComboBox *set_, *format_, *state_;
  SuggestedName suggested_;
};

// Asks for references, one file each, and their source.
class ImportTestSetDialog : public ImportDialog {
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
  SuggestedName suggested_;
};

}  // namespace strata::ui
