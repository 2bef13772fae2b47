#include "ui/panels/import_options.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>
#include <QVBoxLayout>
#include <type_traits>
#include <variant>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/field_grid.h"

namespace strata::ui {
namespace {

constexpr int kMostMerges = 1'000'000;
constexpr int kUsualBeside = 4, kRareBeside = 3;  // options in a row

}  // namespace

ImportOptions::ImportOptions(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 0, 8, 0});
  auto* usual = new FieldGrid(kUsualBeside, this);
  auto* rare = new FieldGrid(kRareBeside, this);
  for (const PrepareField& field : prepareFields()) {
    FieldGrid* grid = field.usual ? usual : rare;
    QWidget* widget = makeField(field, grid);
    if (qobject_cast<QCheckBox*>(widget)) {
      grid->add(widget);
    } else {
      grid->add(translated(field.title), widget);
    }
  }
  layout->addWidget(usual);
  layout->addWidget(rare);
  rare_ = rare;
  rare_->hide();
}

QWidget* ImportOptions::makeField(const PrepareField& field, QWidget* parent) {
  const QString name = QStringLiteral("import") + QLatin1String(field.flag);
  const QString title = translated(field.title);
  QWidget* made = nullptr;
  const auto make = [&]<typename Value>([[maybe_unused]] Value PrepareOptions::*member) {
    if constexpr (std::is_same_v<Value, bool>) {
      auto* box = new QCheckBox(title, parent);
      connect(box, &QCheckBox::toggled, this, &ImportOptions::edited);
      made = box;
    } else if constexpr (std::is_same_v<Value, std::string>) {
      auto* box = new QComboBox(parent);
      for (const char* choice : field.choices) box->addItem(QLatin1String(choice));
      connect(box, &QComboBox::currentIndexChanged, this, &ImportOptions::edited);
      made = box;
    } else if constexpr (std::is_same_v<Value, double>) {
      auto* box = new QDoubleSpinBox(parent);
      box->setRange(0, 1000);
      box->setDecimals(1);
      box->setSingleStep(0.5);
      box->setButtonSymbols(QAbstractSpinBox::NoButtons);
      box->setSpecialValueText(tr("off"));
      connect(box, &QDoubleSpinBox::valueChanged, this, &ImportOptions::edited);
      made = box;
    } else {
      auto* box = new QSpinBox(parent);
      box->setRange(0, kMostMerges);
      box->setGroupSeparatorShown(true);
      box->setSpecialValueText(tr("off"));
      if (member == &PrepareOptions::bpeMerges) box->setSingleStep(1000);
      connect(box, &QSpinBox::valueChanged, this, &ImportOptions::edited);
      made = box;
    }
  };
  std::visit(make, field.value);
  made->setToolTip(
      QStringLiteral("%1 (%2)").arg(translated(field.help), QLatin1String(field.flag)));
  fields_.push_back({&field, named(made, name, title)});
  return made;
}

void ImportOptions::addOptionsTo(PrepareOptions& options) const {
  for (const Field& field : fields_) {
    const auto read = [&]<typename Value>(Value PrepareOptions::*member) {
      if constexpr (std::is_same_v<Value, bool>)
        options.*member = static_cast<QCheckBox*>(field.widget)->isChecked();
      else if constexpr (std::is_same_v<Value, std::string>)
        options.*member = toStd(static_cast<QComboBox*>(field.widget)->currentText());
      else if constexpr (std::is_same_v<Value, double>)
        options.*member = static_cast<QDoubleSpinBox*>(field.widget)->value();
      else
        options.*member = static_cast<QSpinBox*>(field.widget)->value();
    };
    std::visit(read, field.field->value);
  }
}

void ImportOptions::setOptions(const PrepareOptions& options) {
  for (const Field& field : fields_) {
    const auto show = [&]<typename Value>(Value PrepareOptions::*member) {
      if constexpr (std::is_same_v<Value, bool>)
        static_cast<QCheckBox*>(field.widget)->setChecked(options.*member);
      else if constexpr (std::is_same_v<Value, std::string>)
        static_cast<QComboBox*>(field.widget)->setCurrentText(qs(options.*member));
      else if constexpr (std::is_same_v<Value, double>)
        static_cast<QDoubleSpinBox*>(field.widget)->setValue(options.*member);
      else
        static_cast<QSpinBox*>(field.widget)->setValue(int(options.*member));
    };
    std::visit(show, field.field->value);
  }
}

void ImportOptions::setRareVisible(bool visible) {
  rare_->setVisible(visible);
}

}  // namespace strata::ui
