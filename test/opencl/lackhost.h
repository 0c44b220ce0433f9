/* lackhost.h -- jobs of an OpenCL program in which one allocation of the runtime after the other fails. */
#ifndef CHECK_LACKHOST_H
#define CHECK_LACKHOST_H
#include "test/opencl/clhost.h"

/* Instead of open_host(): no context, so that children have no threads but their own.  They run on the usual engine:
 * others would take long to get ready in each child. */
static inline void open_lack_host(void)
{
    unsetenv("VENTUS_ENGINE");
    ok(clGetPlatformIDs(1, &host.platform, NULL));
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 1, &host.device, NULL));
    host.image = make_image_file(kernels_text, true);
    count_allocations();
}

/* To be called before anything else. */
static inline void need_lack(void)
{
    if (!allocations)
        skip_because("needs the hostile build, or a plain one");
}
#endif
