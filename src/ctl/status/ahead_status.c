#include "ctl/status/ahead_status.h"

#include "ctl/core/problem.h"
#include "domain/instant.h"

#define WHAT_TO_DO "operations.md, \"The database's clock was ahead\""

void ahead_judge(const struct health *health, struct record_list *problems) {
    if (health->ahead.count > 0) {
        problem_add(
            problems,
            "payments were confirmed while the database's clock was ahead (%llu): they are not final until that "
            "time, the last in %llu s, and their merchants are told nothing: " WHAT_TO_DO,
            (unsigned long long)health->ahead.count, (unsigned long long)(health->ahead.oldest / SECOND));
    }
    if (health->limits_ahead > 0) {
        problem_add(problems,
                    "limits of networks are of a day to come, because the database's clock was ahead (%llu): "
                    "confirmations get 0028 until then: " WHAT_TO_DO,
                    (unsigned long long)health->limits_ahead);
    }
    char until[INSTANT_TEXT_SIZE];
    if (health->was_ahead_until != 0) {
        problem_add(problems,
                    "the database's clock was ahead, as far as %s: notifications that failed meanwhile are tried "
                    "again only after that time, and endpoints rest until then: " WHAT_TO_DO,
                    instant_print(health->was_ahead_until, until));
    }
    if (health->settlement_opened_ahead != 0) {
        problem_add(problems,
                    "a settlement was closed while the database's clock was ahead, too early for its day: the open one "
                    "begins in the future, at %s: " WHAT_TO_DO,
                    instant_print(health->settlement_opened_ahead, until));
    }
}
