/* step.h: a step of a warp as people see it: one record, which kernc run --steps prints and an experiment
 * has. */
#ifndef KERNC_DRIVER_STEP_H
#define KERNC_DRIVER_STEP_H

#include "base/diag.h"
#include "kernc-rt.h"

/* Lanes that wait together. name: a letter; 0: nobody waits in the barrier yet. */
struct step_group {
    const kernc_group *group;
    char name;
};
/* `groups`: without barriers that are empty; of a stack from the bottom to the top. */
struct step_record {
    const kernc_step *step;
    VEC(struct step_group) groups;
};
/* In the arena; the step stays the caller's. */
struct step_record step_record_of(struct arena *a, const kernc_step *s);

/* The heading of a table for warps of so many lanes, and a row of it. `source`: whose lines are shown; NULL:
 * lines are of the whole program. */
void step_heading(bool is_image, uint32_t lanes, struct text *t);
void step_row(const struct step_record *r, const struct source *source, struct text *t);
/* A place and a state of docs/experiment.md ("Steps"). */
void step_place_json(const struct step_record *r, struct text *t);
void step_state_json(const struct step_record *r, struct text *t);

#endif
