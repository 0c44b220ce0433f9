/* lackhost.h -- jobs of an OpenCL program in which one allocation of the runtime after the other fails. */
#ifndef CHECK_LACKHOST_H
#define CHECK_LACKHOST_H
#include "test/opencl/clhost.h"
#include "test/kit/lack.h"

static LackCount *live_blocks, *allocations; /* of the runtime; NULL: this build does not tell */

static inline LackCount *lack_counter(const char *name)
{
    LackCount *found = NULL;
    void *address = clGetExtensionFunctionAddressForPlatform(host.platform, name);
    memcpy(&found, &address, sizeof found);
    return found;
}

/* Instead of open_host(): no context, so that children have no threads but their own. */
static inline void open_lack_host(void)
{
    ok(clGetPlatformIDs(1, &host.platform, NULL));
    ok(clGetDeviceIDs(host.platform, CL_DEVICE_TYPE_GPU, 1, &host.device, NULL));
    host.image = make_image_file(kernels_text, true);
    live_blocks = lack_counter("ventusLiveBlocks");
    allocations = lack_counter("ventusAllocations");
#ifdef LACK_BY_MALLOC
    lack_watch("libventus-opencl");
    live_blocks = lack_live;
    allocations = lack_requests;
#endif
}

/* Threads of queues end some time after their release. */
static inline void wait_for_blocks(size_t wanted)
{
    for (int i = 0; i < 2000 && live_blocks() != wanted; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (live_blocks() != wanted) {
        fprintf(stderr, "%zd blocks are left\n", (ssize_t)(live_blocks() - wanted));
        abort();
    }
}

/* To be called before anything else. */
static inline void need_lack(void)
{
    if (!allocations)
        skip_because("needs the hostile build, or a plain one");
}
#endif
