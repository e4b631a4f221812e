/* An amount that was read is printed as the same amount. */
#include "domain/money.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct money amount, again;
    char printed[MONEY_TEXT_SIZE];
    if (money_parse((struct text){(const char *)data, size}, &amount)) {
        assert(money_parse(text_of(money_print(amount, size % (MONEY_DECIMALS + 1), printed)), &again));
        assert(money_equal(amount, again));
    }
    return 0;
}
