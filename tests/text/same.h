#pragma once
#include <QTest>
#include <string>

namespace strata::testing {

// Shows both texts if they differ.
inline void same(const std::string& actual, const char* expected) {
  QCOMPARE(QByteArray::fromStdString(actual), QByteArray(expected));
}

}  // namespace strata::testing
