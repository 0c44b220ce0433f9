#include "sim/handlers.h"
HANDLER(v_mma) { return w_unsupported(w, u); }
HANDLER(v_mma64) { return w_unsupported(w, u); }
HANDLER(w_dma) { return w_unsupported(w, u); }
HANDLER(w_dma_bulk) { return w_unsupported(w, u); }
HANDLER(w_dma_tensor) { return w_unsupported(w, u); }
HANDLER(w_dma_wait) { return w_unsupported(w, u); }
HANDLER(v_word64) { return w_unsupported(w, u); }
HANDLER(v_shuffle) { return w_unsupported(w, u); }
HANDLER(v_cvt16) { return w_unsupported(w, u); }
HANDLER(v_packed) { return w_unsupported(w, u); }
HANDLER(v_sfu) { return w_unsupported(w, u); }
