/* What the pre-flight says of materials over the band: how good a fit is, and where constant values are far off. */
#pragma once

struct setup;

/* Adds to setup->choices and setup->warnings, when the plan is there. */
void note_materials(struct setup *setup);

/* Warns of what the medium could not take from the plan. */
void note_medium(struct setup *setup);
