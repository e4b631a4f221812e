#include "console/pages/pages.h"

enum status page_now(struct view *view) {
    view->title = say(view, SAY_NOW);
    return STATUS_OK;
}
