// A test function that runs once for each set of references: its _data function calls the first, it
// calls the second.
#pragma once
#include <QtTest>

#include "tests/fixture.h"

namespace strata {

inline void rowPerReference(const std::string& kind) {
  QTest::addColumn<QString>("references");
  for (const fs::path& folder : referenceFolders(kind))
    QTest::newRow(folder.c_str()) << QString::fromStdString(folder.string());
}

// The folder of the current row.
inline fs::path referenceOfRow() {
  QFETCH(QString, references);
  return references.toStdString();
}

}  // namespace strata
