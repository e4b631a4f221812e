#include "ctl/config/config_findings.h"

#include "ctl/core/failure.h"

void add_config_finding(struct findings *findings, const char *what, enum verdict verdict, const char *detail) {
    static const char *const WORDS[] = {[RIGHT] = "right",
                                        [WRONG] = "wrong",
                                        [UNKNOWN] = "not checked",
                                        [BLIND] = "not checked",
                                        [STRANGE] = "warning"};
    struct record *record = record_list_add(findings->list);
    record_text(record, "what", text_of(what));
    record_text(record, "finding", text_of(WORDS[verdict]));
    record_text(record, "detail", text_of(detail));
    bool is_bad = verdict == WRONG || verdict == BLIND;
    if (is_bad || verdict == STRANGE) {
        remark("%s: %s: %s", WORDS[verdict], what, detail);
    }
    if (is_bad && findings->outcome == OUTCOME_DONE) {
        findings->outcome = OUTCOME_REFUSED;
    }
}
