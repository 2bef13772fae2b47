#include "ui/widgets/import_dialogs.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <functional>

#include "core/data/system_output.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

constexpr int kFieldWidth = 360;

// Turns a file name into a name that the workspace accepts.
QString nameFrom(const QString& path) {
  static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9._-]+"));
  QString name = QFileInfo(path).completeBaseName().replace(others, QStringLiteral("-"));
  while (name.startsWith(QLatin1Char('.')) || name.startsWith(QLatin1Char('-'))) name.remove(0, 1);
  return name.left(100);
}

// A field with a button that asks for files.
QWidget* fileField(QLineEdit* field, QWidget* parent, const std::function<void()>& browse) {
  auto* row = new QWidget(parent);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* button = new QPushButton(ImportSystemDialog::tr("Browse…"), row);
  field->setMinimumWidth(kFieldWidth);
  layout->addWidget(field, 1);
  layout->addWidget(button);
  QObject::connect(button, &QPushButton::clicked, row, browse);
  return row;
}

QComboBox* stateChoice(QWidget* parent) {
  auto* choice = new QComboBox(parent);
  choice->setObjectName(QStringLiteral("importState"));
  choice->addItem(ImportSystemDialog::tr("plain text"), int(TextState::kRaw));
  choice->addItem(ImportSystemDialog::tr("tokens separated by spaces"), int(TextState::kTokens));
  return choice;
}

TextState stateOf(const QComboBox* choice) {
  return TextState(choice->currentData().toInt());
}

QDialogButtonBox* buttonsOf(QDialog* dialog) {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
  auto* import = buttons->addButton(ImportSystemDialog::tr("Import"), QDialogButtonBox::AcceptRole);
  import->setObjectName(QStringLiteral("importButton"));
  import->setDefault(true);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  return buttons;
}

void enableImport(QDialogButtonBox* buttons, bool on) {
  buttons->findChild<QPushButton*>(QStringLiteral("importButton"))->setEnabled(on);
}

}  // namespace

ImportSystemDialog::ImportSystemDialog(const std::vector<TestSet>& sets, const QString& set,
                                       QWidget* parent)
    : QDialog(parent),
      file_(new QLineEdit(this)),
      name_(new QLineEdit(this)),
      set_(new QComboBox(this)),
      format_(new QComboBox(this)),
      state_(stateChoice(this)),
      buttons_(buttonsOf(this)) {
  setObjectName(QStringLiteral("importSystemDialog"));
  setWindowTitle(tr("Import translations"));
  setAttribute(Qt::WA_DeleteOnClose);
  file_->setObjectName(QStringLiteral("importFile"));
  name_->setObjectName(QStringLiteral("importName"));
  set_->setObjectName(QStringLiteral("importSet"));
  for (const TestSet& each : sets) {
    set_->addItem(tr("%1 (%2 sentences)").arg(qs(each.id), countText(each.sentences)), qs(each.id));
  }
  set_->setCurrentIndex(std::max(0, set_->findData(set)));
  format_->addItem(tr("detect automatically"), QString());
  for (const std::string& format : systemOutputFormats()) format_->addItem(qs(format), qs(format));
  auto* form = new QFormLayout(this);
  form->addRow(tr("File"), fileField(file_, this, [this] { chooseFile(); }));
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Test set"), set_);
  form->addRow(tr("Format"), format_);
  form->addRow(tr("Holds"), state_);
  form->addRow(buttons_);
  connect(file_, &QLineEdit::textChanged, this, &ImportSystemDialog::check);
  connect(name_, &QLineEdit::textChanged, this, &ImportSystemDialog::check);
  check();
}

void ImportSystemDialog::setFile(const QString& path) {
  file_->setText(path);
  if (name_->text().isEmpty()) name_->setText(nameFrom(path));
}

void ImportSystemDialog::chooseFile() {
  auto* dialog = new QFileDialog(this, tr("Translations, one sentence per line, or as written "
                                          "by fairseq, Marian or Sockeye"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &ImportSystemDialog::setFile);
  dialog->open();
}

void ImportSystemDialog::check() {
  enableImport(buttons_, !file_->text().isEmpty() && !name_->text().isEmpty() && set_->count() > 0);
}

NewSystem ImportSystemDialog::system() const {
  NewSystem system{.name = toStd(name_->text()),
                   .testSet = toStd(set_->currentData().toString()),
                   .file = toStd(file_->text())};
  if (const QString format = format_->currentData().toString(); !format.isEmpty())
    system.format = toStd(format);
  system.state = stateOf(state_);
  return system;
}

ImportTestSetDialog::ImportTestSetDialog(QWidget* parent)
    : QDialog(parent),
      name_(new QLineEdit(this)),
      references_(new QLineEdit(this)),
      source_(new QLineEdit(this)),
      state_(stateChoice(this)),
      buttons_(buttonsOf(this)) {
  setObjectName(QStringLiteral("importTestSetDialog"));
  setWindowTitle(tr("Import a test set"));
  setAttribute(Qt::WA_DeleteOnClose);
  name_->setObjectName(QStringLiteral("importName"));
  references_->setObjectName(QStringLiteral("importReferences"));
  references_->setReadOnly(true);
  references_->setPlaceholderText(tr("one file per reference"));
  source_->setPlaceholderText(tr("optional"));
  auto* form = new QFormLayout(this);
  form->addRow(tr("References"), fileField(references_, this, [this] {
                 auto* dialog = new QFileDialog(this, tr("Reference files"));
                 dialog->setAttribute(Qt::WA_DeleteOnClose);
                 dialog->setFileMode(QFileDialog::ExistingFiles);
                 connect(dialog, &QFileDialog::filesSelected, this,
                         &ImportTestSetDialog::setReferences);
                 dialog->open();
               }));
  form->addRow(tr("Source"), fileField(source_, this, [this] {
                 auto* dialog = new QFileDialog(this, tr("Source sentences"));
                 dialog->setAttribute(Qt::WA_DeleteOnClose);
                 dialog->setFileMode(QFileDialog::ExistingFile);
                 connect(dialog, &QFileDialog::fileSelected, source_, &QLineEdit::setText);
                 dialog->open();
               }));
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Holds"), state_);
  form->addRow(buttons_);
  connect(name_, &QLineEdit::textChanged, this, &ImportTestSetDialog::check);
  check();
}

void ImportTestSetDialog::setReferences(const QStringList& paths) {
  paths_ = paths;
  QStringList names;
  for (const QString& path : paths) names << QFileInfo(path).fileName();
  references_->setText(names.join(tr(", ")));
  if (name_->text().isEmpty() && !paths.isEmpty()) name_->setText(nameFrom(paths.first()));
  check();
}

void ImportTestSetDialog::check() {
  enableImport(buttons_, !paths_.isEmpty() && !name_->text().isEmpty());
}

NewTestSet ImportTestSetDialog::testSet() const {
  NewTestSet set{.name = toStd(name_->text()), .references = {}};
  for (const QString& path : paths_) set.references.emplace_back(toStd(path));
  set.source = toStd(source_->text());
  set.state = stateOf(state_);
  return set;
}

}  // namespace strata::ui
