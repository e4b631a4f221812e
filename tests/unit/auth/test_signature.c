#include "unit.h"

#include "auth/signature.h"

#define K64 "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

/* Computed by Python's hmac and base64; the first is the published example of Standard Webhooks. */
static const struct {
    const char *secret, *id, *timestamp, *body, *signature;
} VECTORS[] = {
    {"1\xf2\x90\xf6\xbf\x06)\x8a\xabO\x08\xd4<?\x08,\xf6H\xa3\x62\xda-\xa4\xb0", "msg_p5jXN8AQM9LWM0D4loKWxJek",
     "1614265330", "{\"test\": 2432232314}", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
    {"s3cr3t-HASH", "ntf_1", "1700000000", "{\"pv_po_id\":77,\"po_id\":\"A-1\",\"status\":\"approved\"}",
     "v1,KMpo3jxZvtdjdgKsyoE4PCLHbzzpyUlGWQ3mRsFBA+A="},
    {"s3cr3t-HASH", "ntf_18446744073709551615", "1700000001", "{\"po_id\":\"Ñandú\"}",
     "v1,4zTbQCWMQvVRpwVi8O2pnyaXlyVaJvcyx6U+Pjr7uZI="},
    {K64 K64 K64 K64 K64 K64 K64 K64, "ntf_1", "1700000000",
     "{\"pv_po_id\":77,\"po_id\":\"A-1\",\"status\":\"approved\"}", "v1,FC/2EWSJBLsoOcsP/pb+2YCuo9zHpsMGJEhxQZARq20="},
    {"s3cr3t-HASH", "01J-7", "1790000000", "POST /v1/transactions/\n{\"name\":\"Red Norte\",\"transaction\":\"T.1\"}",
     "v1,GLrD03N983PvPKK9Id9qCxV030bGkoHfLq5EyBfqoVU="},
    {"s3cr3t-HASH", "01J-9", "1790000000", "GET /v1/orders/0012345678?name=Red%20Norte&checksum=c51e\n",
     "v1,W1x7CPv2/HzRSzE8EMIK8ElkVyEP3AdVIYDzoQZzr0s="},
    {"s3cr3t-HASH", "ntf_1", "0", "", "v1,fLTH4VrDEMTjAErS/FcpfBiraaklCv2EDPeRBdYzBiI="},
};

START_TEST(computes_what_another_program_does) {
    char signature[SIGNATURE_SIZE];
    struct secret secret;
    ck_assert(secret_set(&secret, text_of(VECTORS[_i].secret)));
    signature_compute(&secret, text_of(VECTORS[_i].id), text_of(VECTORS[_i].timestamp), text_of(VECTORS[_i].body),
                      signature);
    ck_assert_str_eq(signature, VECTORS[_i].signature);
}
END_TEST

START_TEST(every_part_counts) {
    static const char *const OTHERS[][4] = {{"s3cr3t-HASH", "ntf_1", "1700000000", "body"},
                                            {"s3cr3t-HASI", "ntf_1", "1700000000", "body"},
                                            {"s3cr3t-HASH", "ntf_2", "1700000000", "body"},
                                            {"s3cr3t-HASH", "ntf_1", "1700000001", "body"},
                                            {"s3cr3t-HASH", "ntf_1", "1700000000", "bodx"}};
    char signatures[COUNT_OF(OTHERS)][SIGNATURE_SIZE];
    struct secret secret;
    for (size_t i = 0; i < COUNT_OF(OTHERS); i++) {
        ck_assert(secret_set(&secret, text_of(OTHERS[i][0])));
        signature_compute(&secret, text_of(OTHERS[i][1]), text_of(OTHERS[i][2]), text_of(OTHERS[i][3]), signatures[i]);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(signatures[i], signatures[j]);
        }
    }
}
END_TEST

START_TEST(equal_only_to_itself) {
    char signature[SIGNATURE_SIZE], changed[SIGNATURE_SIZE + 1];
    struct secret secret;
    ck_assert(secret_set(&secret, TEXT("s3cr3t-HASH")));
    signature_compute(&secret, TEXT("ntf_1"), TEXT("1700000000"), TEXT("body"), signature);
    ck_assert(signature_equal(text_of(signature), signature));
    for (size_t i = 0; i < SIGNATURE_SIZE - 1; i++) {
        memcpy(changed, signature, SIGNATURE_SIZE);
        changed[i] ^= 1;
        ck_assert_msg(!signature_equal(text_of(changed), signature), "character %zu", i);
        ck_assert_msg(!signature_equal((struct text){signature, i}, signature), "length %zu", i);
    }
    snprintf(changed, sizeof changed, "%sx", signature);
    ck_assert(!signature_equal(text_of(changed), signature));
    ck_assert(
        signature_equal((struct text){changed, SIGNATURE_SIZE - 1}, signature)); /* bytes after the size are ignored */
    ck_assert(!signature_equal((struct text){signature, SIGNATURE_SIZE}, signature));
}
END_TEST

TCase *signature_tests(void) {
    TCase *tests = unit_case("signature");
    add_table_test(tests, computes_what_another_program_does, VECTORS);
    tcase_add_test(tests, every_part_counts);
    tcase_add_test(tests, equal_only_to_itself);
    return tests;
}
