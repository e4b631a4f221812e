#include "ctl/compare.h"
#include "ctl/day.h"
#include "ctl/forms.h"
#include "ctl/settlement.h"

static const struct option_spec SETTLEMENT_OPTIONS[] = {
    {.name = "date", .value = "DAY", .help = "2026-11-21", .required = true},
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
    {"settlement", "", "what became final on a day: operations, counts and sums by network, merchant and currency",
     "A payment counts at the end of its cancellation window, a cancelled one when it was cancelled, a refund on\n"
     "the day it was made, so a day that is over gives the same for ever. It is over a minute after its end; before\n"
     "that it is marked as open and has no digest. Days have 23 or 25 hours where the zone changes its clocks.\n"
     "Without --zone they are those of the merchant's country, or of UTC. The digest is SHA-256 over the lines of\n"
     "the CSV form above the last: head -n -1 FILE | sha256sum",
     SETTLEMENT_OPTIONS, 0, NEEDS_DATABASE, settlement_report},
    {"compare", "", "compare a network's own list with ours; exit status 1 when they differ",
     "The first line names the columns: transaction and amount are needed; currency, date and state may be there;\n"
     "others are passed over. Commas or semicolons. Without a state every line is a payment; dates without a zone\n"
     "are in --zone (UTC). Says what is missing here, missing there, and what differs.",
     COMPARE_OPTIONS, 0, NEEDS_DATABASE, compare_report},
    {.verb = NULL},
};
