#include "ctl/report/compare.h"
#include "ctl/settlement/day.h"
#include "ctl/settlement/report_format.h"
#include "ctl/settlement/settlement.h"

static const struct option_spec SETTLEMENT_OPTIONS[] = {
    {.name = "number", .value = "N", .help = "this settlement"},
    {.name = "date", .value = "DAY", .help = "the settlement of this day, 2026-11-21"},
    {.name = "network", .value = "NAME", .help = "only this network's"},
    {.name = "merchant", .value = "NAME", .help = "only this merchant's"},
    ZONE_OPTION,
    FORMAT_OPTION,
    {.name = "summary", .help = "counts and sums alone, without the single operations"},
    {.name = NULL},
};

static const struct option_spec COMPARE_OPTIONS[] = {
    {.name = "network", .value = "NAME", .help = "whose list it is", .required = true},
    {.name = "file", .value = "FILE|-", .help = "CSV text in UTF-8; - is standard input", .required = true},
    {.name = "date", .value = "DAY", .help = "the day it is for; else from its first to its last date"},
    ZONE_OPTION,
    FORMAT_OPTION,
    {.name = NULL},
};

const struct command report_commands[] = {
    {"settlement", "", "a settlement: operations, counts and sums by network, merchant and currency",
     "A closed settlement gives the same for ever, whatever its payments' windows, their commits or refunds do later:\n"
     "that goes to the next one. --date gives the settlement that was closed for this day; while there is none, the\n"
     "operations between the day's instants, also those that a settlement of no day has already; this is marked as\n"
     "open, has no digest, and a line on standard error says so.\n"
     "Without --zone days are those of [settlement] zone when the dispatcher closes, else of the merchant's country,\n"
     "or of [settlement] zone (UTC). The digest is SHA-256 over the lines of the CSV format above the last:\n"
     "head -n -1 FILE | sha256sum",
     SETTLEMENT_OPTIONS, 0, NEEDS_DATABASE, settlement_report},
    {"compare", "", "compare a network's own list with ours; exit status 1 if they differ",
     "The first line names the columns: transaction and amount are needed; currency, date and state may be there;\n"
     "others are passed over. Commas or semicolons. Without a state every line is a payment; dates without a zone\n"
     "are in --zone, or in [settlement] zone (UTC). Says what is missing here, missing there, and what differs.",
     COMPARE_OPTIONS, 0, NEEDS_DATABASE, compare_report},
    {.verb = NULL},
};
