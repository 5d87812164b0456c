/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_PIPELINE_H
#define PROV_FORMAT_PIPELINE_H
#include "format/view.h"
/* Divides the shown executions of a view into steps: fills in steps, n_steps
 * and step_of, and hides the pipes inside of steps. */
void pipeline_join(struct view *v);
#endif
