/* object.c -- reference counts.
 *
 * The application's references and those of our own objects are counted apart, so that a query
 * of the count answers what the application did.
 */
#include "cl/cl.h"

void object_init(Head *o, Kind kind)
{
    o->dispatch = &icd_dispatch;
    o->kind = kind;
    atomic_init(&o->refs, 1);
    atomic_init(&o->uses, 1);
}

bool is_object(const void *handle, Kind kind)
{
    return handle && ((const Head *)handle)->kind == kind;
}

static void object_free(Head *o)
{
    const Kind kind = o->kind;
    o->kind = KIND_NONE; /* so that a stale handle is refused as long as its memory is not reused */
    switch (kind) {
    case KIND_CONTEXT: context_free((ClContext *)o); return;
    case KIND_QUEUE: queue_free((ClQueue *)o); return;
    case KIND_EVENT: event_free((ClEvent *)o); return;
    case KIND_MEM: buffer_free((ClMem *)o); return;
    case KIND_PROGRAM: program_free((ClProgram *)o); return;
    case KIND_KERNEL: kernel_free((ClKernel *)o); return;
    case KIND_SAMPLER: sampler_free((ClSampler *)o); return;
    case KIND_DEVICE: device_free((ClDevice *)o); return;
    case KIND_COMMAND_BUFFER: commandbuffer_free((struct _cl_command_buffer_khr *)o); return;
    case KIND_NONE:
    case KIND_PLATFORM: break;
    }
    bug("an object of kind %d has no end", (int)kind);
}

void object_use(Head *o) { atomic_fetch_add(&o->uses, 1); }

bool object_try_use(Head *o)
{
    unsigned n = atomic_load(&o->uses);
    while (n && !atomic_compare_exchange_weak(&o->uses, &n, n + 1))
        ;
    return n;
}

void object_drop(Head *o)
{
    if (atomic_fetch_sub(&o->uses, 1) == 1)
        object_free(o);
}

/* A callback may retain an object whose last reference the application has given up. */
void object_retain(Head *o)
{
    if (!atomic_fetch_add(&o->refs, 1))
        object_use(o);
}

void object_release(Head *o)
{
    if (atomic_fetch_sub(&o->refs, 1) != 1)
        return;
    if (o->kind == KIND_QUEUE)
        queue_close((ClQueue *)o);
    if (o->kind == KIND_EVENT)
        event_abandon((ClEvent *)o);
    object_drop(o);
}
