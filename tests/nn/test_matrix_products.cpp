#ifndef Q_MOC_RUN
#include <dlfcn.h>
#include <torch/types.h>
#endif
#include <QFileInfo>
#include <QtTest>

#include "tests/program.h"

// The matrix library behind libtorch takes its AVX-512 kernels on every processor that has them.
class TestMatrixProducts : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theLibraryAsksThisProgram();
  void productsAreThoseOfPlainLoops();
};

void TestMatrixProducts::theLibraryAsksThisProgram() {
  QVERIFY(at::get_num_threads() > 0);  // libtorch is loaded
  void* asked = dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true");
  QVERIFY2(asked != nullptr, "the program does not answer the library's question");
  Dl_info place{};
  QVERIFY(dladdr(asked, &place) != 0);
  QCOMPARE(QFileInfo(QString(place.dli_fname)).canonicalFilePath(),
           QFileInfo("/proc/self/exe").canonicalFilePath());
}

void TestMatrixProducts::productsAreThoseOfPlainLoops() {
  torch::manual_seed(1);
  const auto a = torch::randn({37, 53}), b = torch::randn({53, 41});
  const auto c = torch::mm(a, b);
  const auto x = a.accessor<float, 2>(), y = b.accessor<float, 2>(), z = c.accessor<float, 2>();
  for (int i = 0; i < 37; ++i) {
    for (int j = 0; j < 41; ++j) {
      double sum = 0;
      for (int k = 0; k < 53; ++k) sum += double(x[i][k]) * y[k][j];
      QVERIFY(std::abs(z[i][j] - sum) < 1e-4);
    }
  }
}

STRATA_APPLESS_TEST(TestMatrixProducts)
#include "test_matrix_products.moc"
