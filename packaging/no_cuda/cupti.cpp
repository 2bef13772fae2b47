#include "packaging/no_cuda/no_cuda.h"

namespace {
constexpr int kNotInitialised = 15;  // CUPTI_ERROR_NOT_INITIALIZED, as without a driver
}

STRATA_NO_CUDA(cuptiActivityDisable, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityEnable, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityEnableCudaEventDeviceTimestamps, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityEnableDriverApi, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityEnableRuntimeApi, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityFlushAll, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityPopExternalCorrelationId, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityPushExternalCorrelationId, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityRegisterCallbacks, kNotInitialised)
STRATA_NO_CUDA(cuptiActivityRegisterTimestampCallback, kNotInitialised)
STRATA_NO_CUDA(cuptiActivitySetAttribute, kNotInitialised)
STRATA_NO_CUDA(cuptiEnableCallback, kNotInitialised)
STRATA_NO_CUDA(cuptiEnableDomain, kNotInitialised)
STRATA_NO_CUDA(cuptiFinalize, kNotInitialised)
STRATA_NO_CUDA(cuptiSubscribe, kNotInitialised)
STRATA_NO_CUDA(cuptiUnsubscribe, kNotInitialised)

extern "C" __attribute__((visibility("default"))) int cuptiGetVersion(unsigned* version) {
  *version = 0;
  return kNotInitialised;
}
extern "C" __attribute__((visibility("default"))) int cuptiActivityGetNextRecord(void*,
                                                                                 unsigned long,
                                                                                 void** record) {
  *record = nullptr;
  return kNotInitialised;
}
extern "C" __attribute__((visibility("default"))) int cuptiActivityGetNumDroppedRecords(
    void*, unsigned, unsigned long* dropped) {
  *dropped = 0;
  return kNotInitialised;
}
extern "C" __attribute__((visibility("default"))) int cuptiGetResultString(int, const char** text) {
  *text = "this package has no CUDA";
  return 0;
}
