#include "domain/settlement.h"

bool settlement_follows_cut(instant opened_at, instant cut, instant now) {
    return opened_at >= cut && opened_at <= now;
}
