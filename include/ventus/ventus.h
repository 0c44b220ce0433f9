/* ventus.h -- the driver library of the Ventus GPGPU, libventus.so.
 *
 * The names, argument lists and the launch record are those of the public Ventus
 * driver, so that hosts written for it link unchanged.  Where that driver returns
 * -1, this one returns a negative code that says why: vt_error_name() and
 * vt_error_text() put it in words, vt_last_error() has the details.
 *
 *     vt_device_h dev;
 *     uint64_t a;
 *     vt_dev_open(&dev);
 *     vt_upload_kernel_file(dev, "object.riscv", 0);
 *     vt_buf_alloc(dev, 4096, &a, 0, 0, 0);
 *     vt_copy_to_dev(dev, a, host, 4096, 0, 0);
 *     ... argument block and metadata block likewise (doc/abi.md) ...
 *     vt_start(dev, &record, 0);
 *     vt_ready_wait(dev, 1000);
 *     vt_copy_from_dev(dev, a, host, 4096, 0, 0);
 *     vt_dev_close(dev);
 *
 * All functions may be called from any thread; a process may open any number of
 * devices, which share nothing.  Calls on one device wait for each other.  A handle
 * must not be used during or after its vt_dev_close().
 *
 * taskID and kernelID are reserved for several contexts on one device: 0.
 *
 * Read when a device is opened:
 *     NUM_THREAD        threads of a warp: 4, 8, 16 or 32 (default)
 *     NUM_WARP          most warps of a work-group, 1 to 64 (default)
 *     VENTUS_SMS        streaming multiprocessors
 *     VENTUS_ISA        profile of code without a mark: v202 (default), v2025, ...
 *     VENTUS_ENGINE, or VENTUS_BACKEND
 *                       engine: interp (default), jit, auto; the public driver's names of
 *                       back ends are accepted and mean the default engine
 *     VENTUS_MMU        1: device addresses go through page tables; results are the same
 *     VENTUS_DUMP_RESULT  file that receives every device-to-host copy, as JSON
 */
#ifndef VENTUS_VENTUS_H
#define VENTUS_VENTUS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef VT_API
#define VT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A device, opened by vt_dev_open(). */
typedef void *vt_device_h;

/* What a call can return besides 0, which is success; always negative. */
enum {
    VT_BAD_ARGUMENT = -1,   /* an argument is null, zero or out of range */
    VT_NO_MEMORY = -2,      /* the host is out of memory */
    VT_DEVICE_FULL = -3,    /* the device has no free address range of this size */
    VT_NO_BUFFER = -4,      /* no buffer starts at this address */
    VT_OUT_OF_RANGE = -5,   /* the range does not lie in one buffer */
    VT_OVERLAP = -6,        /* the range overlaps another buffer */
    VT_NO_PROGRAM = -7,     /* no program is loaded */
    VT_BAD_PROGRAM = -8,    /* the program file cannot be used */
    VT_NO_KERNEL = -9,      /* the program has no kernel of this name */
    VT_BAD_SIZE = -10,      /* number of work-items or warps that the machine cannot run */
    VT_RESOURCES = -11,     /* a work-group needs more than the machine has */
    VT_FAULT = -12,         /* the kernel faulted */
    VT_UNKNOWN_CAP = -13,   /* no capability has this number */
    VT_IO = -14,            /* a file cannot be read or written */
    VT_UNSUPPORTED = -15    /* not supported by this device */
};

/* Capabilities. */
enum {
    VT_CAPS_VERSION = 0,            /* of this interface: 1 */
    VT_CAPS_MAX_CORES = 1,          /* streaming multiprocessors */
    VT_CAPS_MAX_WARPS = 2,          /* of a work-group */
    VT_CAPS_MAX_THREADS = 3,        /* of a warp */
    VT_CAPS_CACHE_LINE_SIZE = 4,    /* bytes */
    VT_CAPS_LOCAL_MEM_SIZE = 5,     /* bytes of local memory of a streaming multiprocessor */
    VT_CAPS_ALLOC_BASE_ADDR = 6,    /* address of the first buffer */
    VT_CAPS_KERNEL_BASE_ADDR = 7,   /* address at which every warp starts */
    /* since the public driver's resource records; its numbers are not published */
    VT_CAPS_MAX_WG_SLOTS = 8,       /* work-groups resident on a streaming multiprocessor */
    VT_CAPS_DVA_ADDRESS_BITS = 9,
    VT_CAPS_DVA_BASE_ADDR = 10,     /* address of the first buffer */
    VT_CAPS_DVA_WINDOW_SIZE = 11,   /* bytes from there to the end of addresses */
    VT_CAPS_DVA_ALLOC_GRANULE = 12  /* bytes; sizes of buffers are rounded up to this */
};

/* One launch.  Larger records of newer hosts begin with these twelve words; the rest
 * is not looked at. */
struct meta_data {
    uint64_t kernel_id;         /* not used */
    uint64_t kernel_size[3];    /* work-groups */
    uint64_t wf_size;           /* threads of a warp: 4, 8, 16 or 32 */
    uint64_t wg_size;           /* warps of a work-group */
    uint64_t metaDataBaseAddr;  /* address of the metadata block (CSR_KNL) */
    uint64_t ldsSize;           /* bytes of local memory of a work-group; raised to what the
                                   stacks of old programs take */
    uint64_t pdsSize;           /* bytes of private memory of a thread */
    uint64_t sgprUsage;         /* not used: registers are counted in the program */
    uint64_t vgprUsage;
    uint64_t pdsBaseAddr;       /* address of private memory.  A buffer that holds fewer
                                   work-groups than there are is fine: it is used again */
};
typedef struct meta_data vt_kernel_metadata_t;

/* --- devices --------------------------------------------------------------------------- */

/* Opens a device into *hdevice.  VT_BAD_ARGUMENT: hdevice is null, or a variable of the
 * environment has a value that is not allowed; VT_NO_MEMORY. */
VT_API int vt_dev_open(vt_device_h *hdevice);

/* Closes it: all buffers are gone.  VT_BAD_ARGUMENT: null. */
VT_API int vt_dev_close(vt_device_h hdevice);

/* Puts capability VT_CAPS_<caps_id> into *value.  hdevice points to an open device's
 * handle; null asks for the device that vt_dev_open() would open.  VT_UNKNOWN_CAP;
 * VT_BAD_ARGUMENT: value is null or, without a device, the environment is wrong. */
VT_API int vt_dev_caps(vt_device_h *hdevice, uint64_t caps_id, uint64_t *value);

/* --- memory ------------------------------------------------------------------------------ */

/* Page tables of a task.  They are made when the device is opened, so these only return 0.
 * VT_BAD_ARGUMENT: hdevice is null. */
VT_API int vt_root_mem_alloc(vt_device_h hdevice, int taskID);
VT_API int vt_root_mem_free(vt_device_h hdevice, int taskID);

/* Allocates size bytes, zeroed, and puts their address into *vaddr: 0x90000000 at first;
 * sizes are rounded up to 4096.  BUF_TYPE is not used.  VT_BAD_ARGUMENT: null or size 0;
 * VT_DEVICE_FULL; VT_NO_MEMORY. */
VT_API int vt_buf_alloc(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, int BUF_TYPE,
                        uint64_t taskID, uint64_t kernelID);

/* Frees every buffer of the device, as the public driver does; size and vaddr are not
 * used.  VT_BAD_ARGUMENT: hdevice is null. */
VT_API int vt_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID,
                       uint64_t kernelID);

/* Frees the buffer at *vaddr; size is not used.  VT_BAD_ARGUMENT: null; VT_NO_BUFFER. */
VT_API int vt_one_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID,
                           uint64_t kernelID);

/* Copies size bytes to device address dev_vaddr.  They must lie in one buffer, or in the
 * code window [0x80000000, 0x90000000): code written there is run by vt_start().
 * VT_BAD_ARGUMENT: null or size 0; VT_OUT_OF_RANGE. */
VT_API int vt_copy_to_dev(vt_device_h hdevice, uint64_t dev_vaddr, const void *src_addr,
                          uint64_t size, uint64_t taskID, uint64_t kernelID);

/* The reverse.  VT_IO: the copy was made but VENTUS_DUMP_RESULT could not be written. */
VT_API int vt_copy_from_dev(vt_device_h hdevice, uint64_t dev_vaddr, void *dst_addr, uint64_t size,
                            uint64_t taskID, uint64_t kernelID);

/* --- programs ------------------------------------------------------------------------------ */

/* Loads a program, replacing the one before: an ELF image or, where the bytes are none,
 * code for 0x80000000.  VT_BAD_ARGUMENT: null or size 0; VT_BAD_PROGRAM; VT_NO_MEMORY. */
VT_API int vt_upload_kernel_bytes(vt_device_h device, const void *content, uint64_t size, int taskID);

/* Loads an ELF image from a file.  VT_IO: it cannot be read; VT_BAD_PROGRAM. */
VT_API int vt_upload_kernel_file(vt_device_h device, const char *filename, int kernelID);

/* --- launches -------------------------------------------------------------------------------- */

/* Runs a launch to its end.  metaData points to a struct meta_data.  VT_BAD_ARGUMENT,
 * VT_BAD_SIZE, VT_RESOURCES: the record cannot be run; VT_NO_PROGRAM; VT_FAULT: the
 * kernel faulted, vt_last_error() has the report. */
VT_API int vt_start(vt_device_h hdevice, void *metaData, uint64_t taskID);

/* Returns what the last vt_start() of the device returned; the time limit, in milliseconds, is
 * not needed. */
VT_API int vt_ready_wait(vt_device_h hdevice, uint64_t timeout);

/* The same.  The list (a std::queue<int> * of C++) stays as it is. */
VT_API int vt_finish_all_kernel(vt_device_h hdevice, void *finished_kernel_list);

/* Writes how much the device has run, a line `name value # description` each.
 * VT_BAD_ARGUMENT: null; VT_IO. */
VT_API int vt_dump_perf(vt_device_h device, FILE *stream);

/* --- errors ------------------------------------------------------------------------------------ */

/* The details of the calling thread's last failure on the device, of several lines for a
 * fault: up to size - 1 bytes and a NUL.  Returns the length of the whole text, 0 when
 * there was none; VT_BAD_ARGUMENT: hdevice is null, or buf is null and size is not 0. */
VT_API int vt_last_error(vt_device_h hdevice, char *buf, size_t size);

/* A code, 0 included, as a name ("DEVICE_FULL") and as a sentence; never null. */
VT_API const char *vt_error_name(int code);
VT_API const char *vt_error_text(int code);

#ifdef __cplusplus
}
#endif
#endif
