/* An amount that was read is printed as the same amount, with no more decimals than it needs, and fits them. */
#include "domain/money.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct money amount, again;
    char printed[MONEY_TEXT_SIZE];
    if (!money_parse((struct text){(const char *)data, size}, &amount)) {
        return 0;
    }
    for (unsigned decimals = 0; decimals <= MONEY_DECIMALS; decimals++) {
        money_print(amount, decimals, printed);
        const char *point = strchr(printed, '.');
        size_t written = point == NULL ? 0 : strlen(point + 1);
        assert(money_parse(text_of(printed), &again) && money_equal(amount, again));
        assert(money_fits(amount, decimals) ? written == decimals : written > decimals);
    }
    return 0;
}
