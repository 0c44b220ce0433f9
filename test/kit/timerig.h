/* timerig.h -- what the tests of engine `timing` share: the engine over the memory of the rig, for
 * all tests of a program. */
#ifndef CHECK_TIMERIG_H
#define CHECK_TIMERIG_H
#include "test/kit/launchrig.h"
#include "time/time.h"

static Engine *engine;

static inline int timing_set_up(void **state)
{
    (void)state;
    rig_open(V202);
    engine = time_kind.open(&rig.memory, V202);
    assert_non_null(engine);
    return 0;
}

static inline int timing_tear_down(void **state)
{
    (void)state;
    time_kind.close(engine);
    rig_close();
    return 0;
}
#endif
