// The tests of a folder are one program, so that their libraries are linked once. Each file ends
// with one of these macros instead of Qt's QTEST_MAIN, QTEST_GUILESS_MAIN and QTEST_APPLESS_MAIN,
// and means the same by it.
#pragma once
#include <QtTest>

namespace strata {
// Enters the tests of a file under the file's name, by which the program's first argument chooses
// them.
struct TestFile {
  using Run = int (*)(int argc, char** argv);  // argv[0] is the file's name
  TestFile(const char* file, Run run);
};
}  // namespace strata

// For a file whose tests need a main function of their own. Several files may be compiled as one.
#define STRATA_TEST_RUN(run) STRATA_TEST_FILE(__COUNTER__, run)
#define STRATA_TEST_FILE(number, run) STRATA_TEST_FILE_NUMBER(number, run)
#define STRATA_TEST_FILE_NUMBER(number, run) \
  static const strata::TestFile strataTestFile##number(__FILE_NAME__, run);

#define STRATA_TEST_CLASS(Class, application) \
  STRATA_TEST_RUN([](int argc, char** argv) { \
    QTest::Internal::callInitMain<Class>();   \
    application Class tests;                  \
    QTEST_SET_MAIN_SOURCE_PATH                \
    return QTest::qExec(&tests, argc, argv);  \
  })

#define STRATA_TEST(Class) STRATA_TEST_CLASS(Class, QTEST_MAIN_SETUP())
#define STRATA_GUILESS_TEST(Class) STRATA_TEST_CLASS(Class, QTEST_QAPP_SETUP(QCoreApplication))
#define STRATA_APPLESS_TEST(Class) STRATA_TEST_CLASS(Class, )
