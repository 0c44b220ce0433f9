#include "sim/handlers.h"
HANDLER(w_dma) { return w_unsupported(w, u); }
HANDLER(w_dma_bulk) { return w_unsupported(w, u); }
HANDLER(w_dma_tensor) { return w_unsupported(w, u); }
HANDLER(w_dma_wait) { return w_unsupported(w, u); }
