/* Looks up what an option may name in the database: currencies, countries, merchants and networks. */
#ifndef RECAUDO_CTL_COMMON_CATALOGUE_H
#define RECAUDO_CTL_COMMON_CATALOGUE_H

#include "ctl/core/command.h"
#include "store/party/currencies.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"

enum { CURRENCIES_MAX = 200 };

struct currency_choice {
    struct text codes[CURRENCIES_MAX];
    size_t count;
    struct text words; /* "COP, CRC, PEN, USD" */
};

/* Reads the currencies that orders and accounts may have. */
enum outcome catalogue_currencies(const struct context *context, struct currency_choice *out);

bool catalogue_has_currency(const struct currency_choice *choice, struct text code);

/* Refused if the currency does not exist; the message lists the currencies. */
enum outcome catalogue_currency(const struct context *context, struct text code, struct currency_row *out);

/* Reads a country's code. Refused if the country does not exist; the message lists the countries. */
enum outcome catalogue_country(const struct context *context, struct text digits, uint64_t *out);

/* Refused if no merchant or network has that name. */
enum outcome catalogue_merchant(const struct context *context, struct text name, struct merchant_description *out);
enum outcome catalogue_network(const struct context *context, struct text name, struct network_description *out);

/* Reads the id of the merchant in --merchant, or of the network in --network; 0 without the option. Refused if none has
 * that name. */
enum outcome catalogue_merchant_option(const struct context *context, uint64_t *id);
enum outcome catalogue_network_option(const struct context *context, uint64_t *id);

#endif
