#include "ui/widgets/import_dialogs.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <functional>

#include "core/data/system_output.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"

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
  auto* layout = makeLayout<QHBoxLayout>(row, {}, kUsualSpacing);
  auto* button = new QPushButton(ImportDialog::tr("Browse…"), row);
  field->setMinimumWidth(kFieldWidth);
  layout->addWidget(field, 1);
  layout->addWidget(button);
  QObject::connect(button, &QPushButton::clicked, row, browse);
  return row;
}

QComboBox* stateChoice(QWidget* parent) {
  auto* choice = named(new QComboBox(parent), "importState");
  choice->addItem(ImportDialog::tr("plain text"), int(TextState::kRaw));
  choice->addItem(ImportDialog::tr("tokens separated by spaces"), int(TextState::kTokens));
  return choice;
}

TextState stateOf(const QComboBox* choice) {
  return TextState(choice->currentData().toInt());
}

}  // namespace

ImportDialog::ImportDialog(const QString& name, const QString& title, QWidget* parent)
    : QDialog(parent), error_(named(new QLabel(this), "importError")) {
  setObjectName(name);
  setWindowTitle(title);
  setAttribute(Qt::WA_DeleteOnClose);
  error_->setWordWrap(true);
  error_->setTextFormat(Qt::PlainText);
  error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  error_->hide();
}

void ImportDialog::finishForm(QFormLayout* form) {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  import_ = named(buttons->addButton(tr("Import"), QDialogButtonBox::AcceptRole), "importButton");
  import_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::request);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  form->addRow(error_);
  form->addRow(buttons);
}

void ImportDialog::request() {
  import_->setEnabled(false);
  import_->setText(tr("Importing…"));
  error_->hide();
  emit importRequested();
}

void ImportDialog::setReady(bool ready) {
  ready_ = ready;
  import_->setEnabled(ready);
  error_->hide();
}

void ImportDialog::showError(const QString& message) {
  QPalette palette = error_->palette();
  palette.setColor(QPalette::WindowText, theme().bad);
  error_->setPalette(palette);
  error_->setText(message);
  error_->show();
  import_->setText(tr("Import"));
  import_->setEnabled(ready_);
}

QString ImportDialog::error() const {
  return error_->isHidden() ? QString() : error_->text();
}

SuggestedName::SuggestedName(QLineEdit* field) : field_(field) {}

void SuggestedName::suggest(const QString& path) {
  if (!field_->text().isEmpty() && field_->text() != suggested_) return;  // the user's
  suggested_ = nameFrom(path);
  field_->setText(suggested_);
}

QWidget* pathField(QLineEdit* field, const QString& title, QWidget* parent) {
  return fileField(field, parent, [field, title] {
    auto* dialog = new QFileDialog(field, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, field, &QLineEdit::setText);
    dialog->open();
  });
}

ImportSystemDialog::ImportSystemDialog(const std::vector<TestSet>& sets, const QString& set,
                                       QWidget* parent)
    : ImportDialog(QStringLiteral("importSystemDialog"), tr("Import translations"), parent),
      file_(named(new QLineEdit(this), "importFile")),
      name_(named(new QLineEdit(this), "importName")),
      set_(named(new QComboBox(this), "importSet")),
      format_(named(new QComboBox(this), "importFormat")),
      state_(stateChoice(this)),
      suggested_(name_) {
  for (const TestSet& each : sets) {
    set_->addItem(tr("%1 (%2 sentences)").arg(qs(each.id), countText(each.sentences)), qs(each.id));
  }
  set_->setCurrentIndex(std::max(0, set_->findData(set)));
  format_->addItem(tr("detect automatically"), QString());
  for (const std::string& format : systemOutputFormats()) format_->addItem(qs(format), qs(format));
  auto* form = new QFormLayout(this);
  form->addRow(tr("File"), pathField(file_,
                                     tr("Translations, one sentence per line, or as written "
                                        "by fairseq, Marian or Sockeye"),
                                     this));
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Test set"), set_);
  form->addRow(tr("Format"), format_);
  form->addRow(tr("Holds"), state_);
  finishForm(form);
  connect(file_, &QLineEdit::textChanged, this, [this](const QString& path) {
    suggested_.suggest(path);
    check();
  });
  connect(name_, &QLineEdit::textChanged, this, &ImportSystemDialog::check);
  for (QComboBox* choice : {set_, format_, state_})
    connect(choice, &QComboBox::currentIndexChanged, this, &ImportSystemDialog::check);
  check();
}

void ImportSystemDialog::setFile(const QString& path) {
  file_->setText(path);
}

void ImportSystemDialog::check() {
  setReady(!file_->text().isEmpty() && !name_->text().isEmpty() && set_->count() > 0);
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
    : ImportDialog(QStringLiteral("importTestSetDialog"), tr("Import a test set"), parent),
      name_(named(new QLineEdit(this), "importName")),
      references_(named(new QLineEdit(this), "importReferences")),
      source_(named(new QLineEdit(this), "importSource")),
      state_(stateChoice(this)),
      suggested_(name_) {
  references_->setPlaceholderText(tr("one file per reference, separated by ;"));
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
  form->addRow(tr("Source"), pathField(source_, tr("Source sentences"), this));
  form->addRow(tr("Name"), name_);
  form->addRow(tr("Holds"), state_);
  finishForm(form);
  connect(references_, &QLineEdit::textChanged, this, [this](const QString& text) {
    paths_.clear();
    for (const QString& path : text.split(QLatin1Char(';'), Qt::SkipEmptyParts))
      paths_ << path.trimmed();
    suggested_.suggest(paths_.value(0));
    check();
  });
  connect(name_, &QLineEdit::textChanged, this, &ImportTestSetDialog::check);
  connect(source_, &QLineEdit::textChanged, this, &ImportTestSetDialog::check);
  connect(state_, &QComboBox::currentIndexChanged, this, &ImportTestSetDialog::check);
  check();
}

void ImportTestSetDialog::setReferences(const QStringList& paths) {
  references_->setText(paths.join(QStringLiteral("; ")));
}

void ImportTestSetDialog::check() {
  setReady(!paths_.isEmpty() && !name_->text().isEmpty());
}

NewTestSet ImportTestSetDialog::testSet() const {
  NewTestSet set{.name = toStd(name_->text()), .references = {}};
  for (const QString& path : paths_) set.references.emplace_back(toStd(path));
  set.source = toStd(source_->text());
  set.state = stateOf(state_);
  return set;
}

}  // namespace strata::ui
