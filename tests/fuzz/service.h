/* A worker's service whose database is away: requests go as far as they can without one, and are answered 0028
 * there. */
#ifndef RECAUDO_FUZZ_SERVICE_H
#define RECAUDO_FUZZ_SERVICE_H

#include "api/worker/service.h"

/* Made by the first call, never taken back. */
struct service *fuzz_service(void);

#endif
