/* vt.c -- the public interface: vt_ functions over a Driver. */
#include "ventus/ventus.h"
#include "drv/internal.h"
#include "drv/resultdump.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct VtDevice VtDevice;
struct VtDevice {
    VtDevice *self; /* so that vt_dev_caps() may be given the handle as well as its
                       address, as hosts do */
    Driver *drv;
    pthread_mutex_t lock; /* guards what follows */
    int last;             /* answer of the last vt_start() */
    u64 launches, insns;
    ResultDump *dump; /* or NULL */
};

enum { INTERFACE_VERSION = 1, CACHE_LINE = 128 };

#define STATUS(name, number, text) static_assert(-number == VT_##name, "the numbers are the API");
#define VT_OK                      0
#include "drv/status.def"

static int answer(DrvStatus s) { return -(int)s; }

static bool read_environment(DeviceOptions *o)
{
    Diag d = {.sink = NULL};
    return drv_environment(o, &d);
}

/* --- devices --------------------------------------------------------------------------- */

static VtDevice *device_new(const DeviceOptions *o)
{
    VtDevice *v = mem_zalloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->self = v;
    pthread_mutex_init(&v->lock, NULL);
    v->drv = drv_open(o);
    return v;
}

static void device_free(VtDevice *v)
{
    if (!v)
        return;
    drv_close(v->drv);
    resultdump_close(v->dump);
    pthread_mutex_destroy(&v->lock);
    mem_free(v);
}

static const char *dump_path(void)
{
    const char *path = getenv("VENTUS_DUMP_RESULT");
    if (!path || !*path)
        path = getenv("VENTUS_DRIVER_DUMP_RESULT");
    return path && *path ? path : NULL;
}

int vt_dev_open(vt_device_h *hdevice)
{
    DeviceOptions o;
    if (!hdevice || !read_environment(&o))
        return VT_BAD_ARGUMENT;
    VtDevice *v = device_new(&o);
    if (!v || !v->drv) {
        device_free(v);
        return VT_NO_MEMORY;
    }
    if (dump_path() && !(v->dump = resultdump_open(dump_path()))) {
        device_free(v);
        return VT_IO;
    }
    *hdevice = v;
    return 0;
}

int vt_dev_close(vt_device_h hdevice)
{
    if (!hdevice)
        return VT_BAD_ARGUMENT;
    device_free(hdevice);
    return 0;
}

static int get_cap(const Machine *m, u64 id, u64 *value)
{
    const u64 caps[] = {
        [VT_CAPS_VERSION] = INTERFACE_VERSION,
        [VT_CAPS_MAX_CORES] = m->sms,
        [VT_CAPS_MAX_WARPS] = m->group_warps,
        [VT_CAPS_MAX_THREADS] = m->lanes,
        [VT_CAPS_CACHE_LINE_SIZE] = CACHE_LINE,
        [VT_CAPS_LOCAL_MEM_SIZE] = m->lds,
        [VT_CAPS_ALLOC_BASE_ADDR] = HEAP_LO,
        [VT_CAPS_KERNEL_BASE_ADDR] = CODE_LO,
        [VT_CAPS_MAX_WG_SLOTS] = m->slots,
        [VT_CAPS_DVA_ADDRESS_BITS] = 32,
        [VT_CAPS_DVA_BASE_ADDR] = HEAP_LO,
        [VT_CAPS_DVA_WINDOW_SIZE] = (u64)(RANGE_HEAP_END - RANGE_HEAP_FROM) << PAGE_BITS,
        [VT_CAPS_DVA_ALLOC_GRANULE] = PAGE_SIZE,
    };
    if (id >= countof(caps))
        return VT_UNKNOWN_CAP;
    *value = caps[id];
    return 0;
}

int vt_dev_caps(vt_device_h *hdevice, uint64_t caps_id, uint64_t *value)
{
    const VtDevice *v = hdevice ? *hdevice : NULL;
    DeviceOptions o;
    if (!value)
        return VT_BAD_ARGUMENT;
    if (v)
        return get_cap(&dev_options(drv_device(v->drv))->machine, caps_id, value);
    return read_environment(&o) ? get_cap(&o.machine, caps_id, value) : VT_BAD_ARGUMENT;
}

/* --- memory -------------------------------------------------------------------------------- */

int vt_root_mem_alloc(vt_device_h hdevice, int taskID)
{
    (void)taskID;
    return hdevice ? 0 : VT_BAD_ARGUMENT;
}

int vt_root_mem_free(vt_device_h hdevice, int taskID)
{
    (void)taskID;
    return hdevice ? 0 : VT_BAD_ARGUMENT;
}

int vt_buf_alloc(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, int BUF_TYPE, uint64_t taskID,
                 uint64_t kernelID)
{
    const VtDevice *v = hdevice;
    (void)BUF_TYPE, (void)taskID, (void)kernelID;
    return v ? answer(drv_alloc(v->drv, size, vaddr)) : VT_BAD_ARGUMENT;
}

int vt_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID,
                uint64_t kernelID)
{
    const VtDevice *v = hdevice;
    (void)size, (void)vaddr, (void)taskID, (void)kernelID;
    return v ? answer(drv_free_all(v->drv)) : VT_BAD_ARGUMENT;
}

int vt_one_buf_free(vt_device_h hdevice, uint64_t size, uint64_t *vaddr, uint64_t taskID,
                    uint64_t kernelID)
{
    const VtDevice *v = hdevice;
    (void)size, (void)taskID, (void)kernelID;
    if (!v)
        return VT_BAD_ARGUMENT;
    if (!vaddr)
        return answer(drv_fail(v->drv, DRV_BAD_ARGUMENT, "no address"));
    return answer(drv_free(v->drv, *vaddr));
}

int vt_copy_to_dev(vt_device_h hdevice, uint64_t dev_vaddr, const void *src_addr, uint64_t size,
                   uint64_t taskID, uint64_t kernelID)
{
    const VtDevice *v = hdevice;
    (void)taskID, (void)kernelID;
    return v ? answer(drv_write(v->drv, dev_vaddr, src_addr, size)) : VT_BAD_ARGUMENT;
}

static int dump_copy(VtDevice *v, u64 addr, const void *bytes, u64 size)
{
    pthread_mutex_lock(&v->lock);
    const bool ok = !v->dump || resultdump_add(v->dump, addr, bytes, size);
    pthread_mutex_unlock(&v->lock);
    return ok ? 0 : answer(drv_fail(v->drv, DRV_IO, "the file of VENTUS_DUMP_RESULT"));
}

int vt_copy_from_dev(vt_device_h hdevice, uint64_t dev_vaddr, void *dst_addr, uint64_t size,
                     uint64_t taskID, uint64_t kernelID)
{
    VtDevice *v = hdevice;
    (void)taskID, (void)kernelID;
    if (!v)
        return VT_BAD_ARGUMENT;
    const DrvStatus s = drv_read(v->drv, dev_vaddr, dst_addr, size);
    return s ? answer(s) : dump_copy(v, dev_vaddr, dst_addr, size);
}

/* --- programs --------------------------------------------------------------------------------- */

static int load_elf(const VtDevice *v, const char *name, const void *bytes, u64 size)
{
    Buf text = {0};
    Diag d = {.sink = diag_to_buf, .to = &text};
    Object *image = NULL;
    DrvStatus s = DRV_BAD_PROGRAM;
    if (obj_read(name, bytes, size, &d, &image))
        s = drv_load(v->drv, image, &d);
    else if (d.no_memory)
        s = DRV_NO_MEMORY;
    if (s) {
        obj_free(image);
        drv_fail(v->drv, s, "%s", buf_text(&text));
    }
    buf_free(&text);
    return answer(s);
}

int vt_upload_kernel_bytes(vt_device_h device, const void *content, uint64_t size, int taskID)
{
    const VtDevice *v = device;
    (void)taskID;
    if (!v)
        return VT_BAD_ARGUMENT;
    if (content && size >= 4 && !memcmp(content, "\177ELF", 4))
        return load_elf(v, "the program", content, size);
    return answer(drv_write(v->drv, CODE_LO, content, size));
}

static bool read_file(const char *name, Buf *b)
{
    u8 chunk[1 << 14];
    size_t n;
    FILE *f = fopen(name, "rb");
    if (!f)
        return false;
    while ((n = fread(chunk, 1, sizeof chunk, f)))
        buf_put(b, chunk, n);
    const bool ok = !ferror(f);
    fclose(f);
    return ok;
}

int vt_upload_kernel_file(vt_device_h device, const char *filename, int kernelID)
{
    const VtDevice *v = device;
    Buf b = {0};
    int s;
    (void)kernelID;
    if (!v)
        return VT_BAD_ARGUMENT;
    if (!filename)
        return answer(drv_fail(v->drv, DRV_BAD_ARGUMENT, "no file name"));
    if (!read_file(filename, &b))
        s = answer(drv_fail(v->drv, DRV_IO, "%s: %s", filename, strerror(errno)));
    else if (b.failed)
        s = answer(drv_fail(v->drv, DRV_NO_MEMORY, "%s", filename));
    else
        s = load_elf(v, filename, b.data, b.len);
    buf_free(&b);
    return s;
}

/* --- launches ------------------------------------------------------------------------- */

static DrvRecord to_record(const struct meta_data *m)
{
    return (DrvRecord){
        .kernel_id = m->kernel_id,
        .kernel_size = {m->kernel_size[0], m->kernel_size[1], m->kernel_size[2]},
        .wf_size = m->wf_size,
        .wg_size = m->wg_size,
        .metadata_base = m->metaDataBaseAddr,
        .lds_size = m->ldsSize,
        .pds_size = m->pdsSize,
        .sgpr_usage = m->sgprUsage,
        .vgpr_usage = m->vgprUsage,
        .pds_base = m->pdsBaseAddr,
    };
}

int vt_start(vt_device_h hdevice, void *metaData, uint64_t taskID)
{
    VtDevice *v = hdevice;
    DrvResult result = {.warps = 0};
    DrvStatus s;
    (void)taskID;
    if (!v)
        return VT_BAD_ARGUMENT;
    if (metaData) {
        const DrvRecord r = to_record(metaData);
        s = drv_start(v->drv, &r, NULL, NULL, 0, &result);
    } else {
        s = drv_fail(v->drv, DRV_BAD_ARGUMENT, "no launch record");
    }
    pthread_mutex_lock(&v->lock);
    v->last = answer(s);
    v->launches++;
    v->insns += result.dev.run.insns;
    pthread_mutex_unlock(&v->lock);
    return answer(s);
}

int vt_ready_wait(vt_device_h hdevice, uint64_t timeout)
{
    VtDevice *v = hdevice;
    (void)timeout;
    if (!v)
        return VT_BAD_ARGUMENT;
    pthread_mutex_lock(&v->lock);
    const int last = v->last;
    pthread_mutex_unlock(&v->lock);
    return last;
}

int vt_finish_all_kernel(vt_device_h hdevice, void *finished_kernel_list)
{
    (void)finished_kernel_list;
    return vt_ready_wait(hdevice, 0);
}

int vt_dump_perf(vt_device_h device, FILE *stream)
{
    VtDevice *v = device;
    if (!v || !stream)
        return VT_BAD_ARGUMENT;
    pthread_mutex_lock(&v->lock);
    const int n = fprintf(stream,
                          "launches %llu # calls of vt_start\n"
                          "insns %llu # warp instructions retired\n",
                          (unsigned long long)v->launches, (unsigned long long)v->insns);
    pthread_mutex_unlock(&v->lock);
    return n < 0 ? VT_IO : 0;
}

/* --- errors --------------------------------------------------------------------------- */

int vt_last_error(vt_device_h hdevice, char *buf, size_t size)
{
    const VtDevice *v = hdevice;
    Buf text = {0};
    if (!v || (!buf && size))
        return VT_BAD_ARGUMENT;
    drv_last_error(v->drv, &text);
    const int n = (int)text.len;
    if (size) {
        const size_t shown = text.len < size ? text.len : size - 1;
        memcpy(buf, buf_text(&text), shown);
        buf[shown] = 0;
    }
    buf_free(&text);
    return n;
}

const char *vt_error_name(int code) { return drv_status_name((DrvStatus) - (i64)code); }
const char *vt_error_text(int code) { return drv_status_text((DrvStatus) - (i64)code); }
