#include "ui/panels/config_model.h"

#include <QFont>
#include <QMap>
#include <cmath>

#include "core/base/key_path.h"
#include "core/base/text_limits.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

// The value at a dotted path of a tree; null if there is none.
Json valueAt(const Json& tree, const QString& path) {
  const Json* node = &tree;
  for (const QString& part : path.split(QLatin1Char('.'))) {
    if (!node->is_object()) return nullptr;
    const auto found = node->find(toStd(part));
    if (found == node->end()) return nullptr;
    node = &*found;
  }
  return *node;
}

ConfigField readField(const Json& key, const Json& config) {
  ConfigField field;
  field.path = qs(key.at("path").get<std::string>());
  field.type = qs(key.at("type").get<std::string>());
  for (const auto& [name, target] :
       {std::pair{"minimum", &field.minimum}, {"maximum", &field.maximum}}) {
    if (key.contains(name) && key[name].is_number()) *target = key[name].get<double>();
  }
  if (key.contains("choices")) field.choices = qs(key["choices"].get<std::vector<std::string>>());
  field.unit = qs(key.value("unit", ""));
  field.help = qs(key.value("help", ""));
  field.preset = valueAt(config, field.path);
  if (field.preset.is_null() && key.contains("default")) field.preset = key["default"];
  return field;
}

QString rangeText(const ConfigField& field) {
  if (!field.choices.isEmpty()) return field.choices.join(QStringLiteral(", "));
  if (field.minimum && field.maximum)
    return ConfigModel::tr("%1 to %2").arg(*field.minimum).arg(*field.maximum);
  if (field.minimum) return ConfigModel::tr("at least %1").arg(*field.minimum);
  if (field.maximum) return ConfigModel::tr("at most %1").arg(*field.maximum);
  return {};
}

std::optional<Json> refuse(QString* error, const ConfigField& field, const QString& expected) {
  *error = ConfigModel::tr("%1 must be %2.").arg(field.path, expected);
  return std::nullopt;
}

// A number within the field's range.
std::optional<Json> readNumber(const ConfigField& field, const Json& value, QString* error) {
  const bool whole = field.type.startsWith(QLatin1String("int"));
  const QString range = rangeText(field);
  const QString what = (whole ? ConfigModel::tr("a whole number") : ConfigModel::tr("a number")) +
                       (range.isEmpty() ? QString() : QStringLiteral(", ") + range);
  if (!value.is_number() || (whole && !value.is_number_integer()))
    return refuse(error, field, what);
  const double number = value.get<double>();
  if ((field.minimum && number < *field.minimum) || (field.maximum && number > *field.maximum))
    return refuse(error, field, what);
  return value;
}

}  // namespace

QString configText(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return qs(value.get<std::string>());
  return qs(value.dump());
}

std::optional<Json> readConfigText(const ConfigField& field, const QString& text, QString* error) {
  const QString trimmed = text.trimmed();
  if (field.type == QLatin1String("string")) return Json(toStd(trimmed));
  if (field.type == QLatin1String("choice")) {
    if (field.choices.contains(trimmed)) return Json(toStd(trimmed));
    return refuse(error, field, ConfigModel::tr("one of %1").arg(rangeText(field)));
  }
  const Json value = tryParseJson(toStd(trimmed)).value_or(nullptr);
  if (field.type == QLatin1String("bool")) {
    if (value.is_boolean()) return value;
    return refuse(error, field, ConfigModel::tr("true or false"));
  }
  if (field.type == QLatin1String("int-or-list") && value.is_array()) {
    for (const Json& item : value) {
      if (!readNumber(field, item, error)) return std::nullopt;
    }
    if (!value.empty()) return value;
    return refuse(error, field, ConfigModel::tr("a whole number or a list of them"));
  }
  if (field.type == QLatin1String("int") || field.type == QLatin1String("int-or-list") ||
      field.type == QLatin1String("number")) {
    return readNumber(field, value, error);
  }
  const bool object = field.type == QLatin1String("object");
  if (object ? !value.is_object() : !value.is_array()) {
    return refuse(error, field,
                  object ? ConfigModel::tr("an object such as {\"type\": \"sa\", \"hops\": 4}")
                         : ConfigModel::tr("a list such as [1, 2]"));
  }
  return value;
}

ConfigModel::ConfigModel(QObject* parent) : QAbstractItemModel(parent) {}

void ConfigModel::setSchema(const Json& schema) {
  QMap<QString, Json> kept;
  for (const Section& section : sections_) {
    for (const ConfigField& field : section.fields) {
      if (field.chosen) kept.insert(field.path, *field.chosen);
    }
  }
  beginResetModel();
  sections_.clear();
  for (const Json& key : schema.at("keys")) {
    ConfigField field = readField(key, schema.at("config"));
    if (field.path == QLatin1String("data.dataset")) continue;  // the panel has its own selector
    if (kept.contains(field.path) && kept[field.path] != field.preset)
      field.chosen = kept[field.path];
    const QString name = field.path.section(QLatin1Char('.'), 0, 0);
    // A key without a section ("seed") goes to "general".
    const QString section = name == field.path ? tr("general") : name;
    auto found = std::find_if(sections_.begin(), sections_.end(),
                              [&](const Section& s) { return s.name == section; });
    if (found == sections_.end()) found = sections_.insert(sections_.end(), {section, {}});
    found->fields.push_back(std::move(field));
  }
  endResetModel();
  emit overridesChanged();
}

QStringList ConfigModel::overrides() const {
  QStringList list;
  for (const Section& section : sections_) {
    for (const ConfigField& field : section.fields) {
      if (field.chosen) list << field.path + QLatin1Char('=') + configText(*field.chosen);
    }
  }
  return list;
}

const ConfigField* ConfigModel::field(const QString& path) const {
  for (const Section& section : sections_) {
    for (const ConfigField& field : section.fields) {
      if (field.path == path) return &field;
    }
  }
  return nullptr;
}

QStringList ConfigModel::paths() const {
  QStringList list;
  for (const Section& section : sections_) {
    for (const ConfigField& field : section.fields) list << field.path;
  }
  return list;
}

QModelIndex ConfigModel::indexOf(const QString& path) const {
  for (int s = 0; s < int(sections_.size()); ++s) {
    const auto& fields = sections_[std::size_t(s)].fields;
    for (int f = 0; f < int(fields.size()); ++f) {
      if (fields[std::size_t(f)].path == path) return index(f, kValue, index(s, 0));
    }
  }
  return {};
}

void ConfigModel::setOverride(const QString& path, const QString& text) {
  setData(indexOf(path), text, Qt::EditRole);
}

QString ConfigModel::apply(const YamlDocument& edited, const Json& before) {
  if (const QString unknown = unknownKey(edited, edited.value, {}, before); !unknown.isEmpty())
    return unknown;
  QVector<std::pair<QString, QString>> changes;
  for (const QString& path : paths()) {
    const Json *value = findAt(edited.value, toStd(path)), *old = findAt(before, toStd(path));
    if (value == old || (value && old && *value == *old)) continue;
    const ConfigField* known = field(path);
    QString error;
    if (value && !readConfigText(*known, configText(*value), &error))
      return QStringLiteral("%1: %2: %3").arg(qs(edited.where(toStd(path))), path, error);
    changes.append({path, configText(value ? *value : known->preset)});
  }
  for (const auto& [path, text] : changes) setOverride(path, text);
  return {};
}

// The first key of a tree that is no setting, or is chosen elsewhere than in the form.
QString ConfigModel::unknownKey(const YamlDocument& edited, const Json& tree,
                                const std::string& path, const Json& before) const {
  if (!tree.is_object())
    return tr("%1: settings are written as `key: value`").arg(qs(edited.where(path)));
  for (const auto& [key, value] : tree.items()) {
    const std::string own = dotted(path, key);
    if (field(qs(own))) continue;
    const Json* old = findAt(before, own);
    if (old && *old == value) continue;
    if (old && !old->is_object())
      return tr("%1: %2 is chosen above, not here").arg(qs(edited.where(own)), qs(own));
    if (!old) return tr("%1: there is no setting %2").arg(qs(edited.where(own)), qs(own));
    if (const QString unknown = unknownKey(edited, value, own, before); !unknown.isEmpty())
      return unknown;
  }
  return {};
}

void ConfigModel::clearOverrides() {
  beginResetModel();
  for (Section& section : sections_) {
    for (ConfigField& field : section.fields) field.chosen.reset();
  }
  endResetModel();
  emit overridesChanged();
}

// Sections have internal id 0; keys have their section's index + 1.
QModelIndex ConfigModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? quintptr(parent.row() + 1) : quintptr(0));
}

QModelIndex ConfigModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(int(child.internalId()) - 1, 0, quintptr(0));
}

int ConfigModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return int(sections_.size());
  if (parent.internalId() != 0 || parent.column() != 0) return 0;
  return int(sections_[std::size_t(parent.row())].fields.size());
}

int ConfigModel::columnCount(const QModelIndex&) const {
  return kColumns;
}

const ConfigField* ConfigModel::fieldAt(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == 0) return nullptr;
  return &sections_[std::size_t(index.internalId()) - 1].fields[std::size_t(index.row())];
}

QVariant ConfigModel::data(const QModelIndex& index, int role) const {
  if (const ConfigField* field = fieldAt(index)) return fieldData(*field, index.column(), role);
  if (!index.isValid() || index.column() != kKey) return {};
  if (role == Qt::DisplayRole || role == kPathRole) return sections_[std::size_t(index.row())].name;
  if (role == Qt::FontRole) {
    QFont bold;
    bold.setWeight(QFont::DemiBold);
    return bold;
  }
  return {};
}

QVariant ConfigModel::fieldData(const ConfigField& field, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      if (column == kKey)
        return field.path.contains(QLatin1Char('.')) ? field.path.section(QLatin1Char('.'), 1)
                                                     : field.path;
      if (column == kValue) return configText(field.value());
      if (column == kUnit) return field.unit;
      return field.chosen ? configText(field.preset) : QString();
    case Qt::ToolTipRole: {
      const QString range = rangeText(field);
      QString text = field.help;
      if (!field.unit.isEmpty()) text += tr("\nUnit: %1").arg(field.unit);
      if (!range.isEmpty()) text += tr("\nAllowed: %1").arg(range);
      return text;
    }
    case Qt::FontRole:
      if (field.chosen && column <= kValue) {
        QFont bold;
        bold.setWeight(QFont::DemiBold);
        return bold;
      }
      return {};
    case Qt::ForegroundRole:
      if (column >= kUnit) return theme().muted;
      return field.chosen ? QVariant(theme().accent) : QVariant();
    case kChoicesRole:
      return field.type == QLatin1String("bool")
                 ? QStringList{QStringLiteral("false"), QStringLiteral("true")}
                 : field.choices;
    case kTypeRole:
      return field.type;
    case kChangedRole:
      return field.chosen.has_value();
    case kPathRole:
      return field.path;
    default:
      return {};
  }
}

bool ConfigModel::choose(ConfigField& field, const QString& text) {
  QString error;
  const std::optional<Json> value = readConfigText(field, text, &error);
  if (!value) {
    emit refused(error);
    return false;
  }
  field.chosen = *value == field.preset ? std::nullopt : value;
  return true;
}

bool ConfigModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || index.column() != kValue || !fieldAt(index)) return false;
  ConfigField& field =
      sections_[std::size_t(index.internalId()) - 1].fields[std::size_t(index.row())];
  if (!choose(field, value.toString())) return false;
  emit dataChanged(index.siblingAtColumn(0), index.siblingAtColumn(kPreset));
  emit overridesChanged();
  return true;
}

QVariant ConfigModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const QString names[kColumns] = {tr("key"), tr("value"), tr("unit"), tr("preset's value")};
  return names[section];
}

Qt::ItemFlags ConfigModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (index.column() == kValue && fieldAt(index)) flags |= Qt::ItemIsEditable;
  return flags;
}

}  // namespace strata::ui
