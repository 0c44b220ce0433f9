/* icd.c -- the table that the loader calls through, and the functions that it looks up. */
#include "cl/cl.h"
#include <CL/cl_gl.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Functions of extensions that the table has no place for are found only by
 * clGetExtensionFunctionAddress(). */
const cl_icd_dispatch icd_dispatch = {
#define ENTRY(name) .name = name,
#include "cl/entry.def"
};

/* --- what the loader looks up by name ---------------------------------------------------- */

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms)
{
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
    void *address = NULL;
    if (!func_name)
        return NULL;
    if (!strcmp(func_name, "clIcdGetPlatformIDsKHR"))
        memcpy(&address, &(clIcdGetPlatformIDsKHR_fn){clIcdGetPlatformIDsKHR}, sizeof address);
    if (!strcmp(func_name, "clGetPlatformInfo"))
        memcpy(&address, &(cl_api_clGetPlatformInfo){clGetPlatformInfo}, sizeof address);
    if (!strcmp(func_name, "clGetKernelSuggestedLocalWorkSizeKHR"))
        memcpy(&address,
               &(clGetKernelSuggestedLocalWorkSizeKHR_fn){clGetKernelSuggestedLocalWorkSizeKHR},
               sizeof address);
    if (!strcmp(func_name, "clCreateCommandQueueWithPropertiesKHR"))
        memcpy(&address,
               &(clCreateCommandQueueWithPropertiesKHR_fn){clCreateCommandQueueWithPropertiesKHR},
               sizeof address);
    if (!strcmp(func_name, "clTerminateContextKHR"))
        memcpy(&address, &(clTerminateContextKHR_fn){clTerminateContextKHR}, sizeof address);
    if (!strcmp(func_name, "clCreateProgramWithILKHR")) /* as in the core since 2.1 */
        memcpy(&address, &(clCreateProgramWithILKHR_fn){clCreateProgramWithIL}, sizeof address);
    if (!address)
        address = commandbuffer_function(func_name);
    if (!address)
        address = usm_function(func_name);
    if (!strcmp(func_name, "clGetKernelSubGroupInfoKHR"))
        memcpy(&address, &(clGetKernelSubGroupInfoKHR_fn){clGetKernelSubGroupInfoKHR},
               sizeof address);
#ifdef HOSTILE /* for tests: whether everything was given back; which allocation can fail next */
    typedef size_t Counter(void);
    if (!strcmp(func_name, "ventusLiveBlocks"))
        memcpy(&address, &(Counter *){mem_live}, sizeof address);
    if (!strcmp(func_name, "ventusAllocations"))
        memcpy(&address, &(Counter *){mem_requests}, sizeof address);
#endif
    return address;
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                  const char *func_name)
{
    return is_object(platform, KIND_PLATFORM) ? clGetExtensionFunctionAddress(func_name) : NULL;
}
