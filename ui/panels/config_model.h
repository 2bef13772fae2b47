#pragma once
#include <QAbstractItemModel>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/base/json.h"

namespace strata::ui {

// One key of the form: its schema entry, the preset's value and the user's value, if changed.
struct ConfigField {
  QString path;  // "training.batch.size"
  QString type;  // as `strata-run serve` names it: bool, int, int-or-list, number, string, choice,
                 // string-list, ...
  std::optional<double> minimum, maximum;
  QStringList choices;
  QString unit, help;
  Json preset;
  std::optional<Json> chosen;

  const Json& value() const { return chosen ? *chosen : preset; }
};

// A value as the form and `--set` write it: strings bare, everything else as JSON.
QString configText(const Json& value);

// Parses what the user typed into a field. On failure `error` says what is expected.
std::optional<Json> readConfigText(const ConfigField& field, const QString& text, QString* error);

// The configuration as a tree of sections and keys, built from the schema. Editing a value creates
// an override of the preset; entering the preset's value removes the override.
class ConfigModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { kKey, kValue, kUnit, kPreset, kColumns };
  enum Role { kChoicesRole = Qt::UserRole, kTypeRole, kChangedRole, kPathRole };

  explicit ConfigModel(QObject* parent = nullptr);

  // `schema` is the answer of the engine's method `schema`. Overrides of keys that still exist are
  // kept.
  void setSchema(const Json& schema);
  QStringList overrides() const;  // "training.batch.size=64", in the order of the schema
  void setOverride(const QString& path, const QString& text);  // ignored if the key does not exist
  void clearOverrides();
  // Takes over where `edited` differs from `before`, the effective configuration that was edited; a
  // key that is left out gets the preset's value. Returns why nothing of it can be taken over, with
  // the line; empty: it was.
  QString apply(const YamlDocument& edited, const Json& before);
  const ConfigField* field(const QString& path) const;
  QStringList paths() const;                       // of all keys, in the order of the schema
  QModelIndex indexOf(const QString& path) const;  // of its value; invalid: there is no such key

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void overridesChanged();
  void refused(const QString& message);  // the typed text is not a valid value of the key

 private:
  struct Section {
    QString name;
    std::vector<ConfigField> fields;
  };
  const ConfigField* fieldAt(const QModelIndex& index) const;
  QVariant fieldData(const ConfigField& field, int column, int role) const;
  bool choose(ConfigField& field, const QString& text);
  QString unknownKey(const YamlDocument& edited, const Json& tree, const std::string& path,
                     const Json& before) const;

  std::vector<Section> sections_;
};

}  // namespace strata::ui
