#pragma once
#include <QTimer>
#include <QWidget>

#include "ui/data/data_service.h"

class QComboBox;
class QLabel;
class QLayout;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace strata::ui {
class ImportFileTable;
class ImportOptions;
class TextFiguresView;

// A corpus that is about to become a dataset: its files and what they are for, languages, name and
// options, and the preview of what would be prepared, which follows every change. Entries stay
// when something fails.
class ImportForm : public QWidget {
  Q_OBJECT
 public:
  explicit ImportForm(QWidget* parent = nullptr);

  void addPlaces(const QStringList& places);  // files, archives, folders
  void setChosen(const ChosenFiles& chosen);  // what their names say
  PrepareCall call() const;
  QString problem() const;                     // why it cannot be prepared; empty: it can
  QLayout* footer() const { return footer_; }  // the bar with the button that prepares
  bool isUpToDate() const { return !waiting_ && !timer_.isActive(); }

  void setPreviewProgress(const QString& what, qint64 done);
  void setPreview(const PreviewPointer& preview);
  void setError(const QString& message);  // of guessing, the preview or the preparation

  // While a dataset is prepared.
  void setPreparing(bool on);
  void setProgress(const QString& what, qint64 done, qint64 total);

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void guessRequested(const QStringList& places, const QString& recipe);
  void previewRequested(const strata::PrepareCall& call, qint64 limit);
  void previewStopped();
  void prepareRequested(const strata::PrepareCall& call);
  void cancelRequested();
  void changed();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeFiles();
  QWidget* makeNames();
  QWidget* makeState();
  QWidget* makeFooter();
  void browse();
  void removeRows();
  void chooseRecipe();
  void showOptions(const PrepareOptions& options);
  void swapSides();
  void edited();  // the preview no longer shows what is entered
  void requestPreview();
  void showProblem();
  qint64 limit() const;

  QLayout* footer_ = nullptr;
  ImportFileTable* files_;
  QComboBox *recipe_, *extent_;
  QLineEdit *name_, *source_, *target_;
  QToolButton* more_;
  ImportOptions* options_;
  QLabel *unused_, *state_, *problem_;
  QProgressBar* progress_;
  QPushButton *prepare_, *cancel_;
  TextFiguresView* figures_;
  QTimer timer_;
  QStringList places_;    // as the user gave them
  QString error_;         // in the entries, of the last preview or preparation
  QString obstacle_;      // in the files, from the preview
  QString warnings_;      // of the text, from the preview
  bool waiting_ = false;  // for a guess or a preview
  bool filling_ = false;  // the widgets are changed by the form itself
  bool preparing_ = false;
  bool nameTyped_ = false;  // by the user: a guess leaves it
};

}  // namespace strata::ui
