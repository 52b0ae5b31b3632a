/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command has changed, and how sure that is.
 */
#ifndef _PCOUNTER_TOOL_JUDGE_H
#define _PCOUNTER_TOOL_JUDGE_H

#include "verbs/survey.h"

#define JUDGE_CERTAIN	0.99	/* less is noise */
#define JUDGE_FEWEST	5	/* windows of a kind in which a wire is looked at again */

unsigned int judge_windows(struct survey *survey, double tolerance);
void survey_judge(struct survey *survey, double tolerance);
double shares_mean(const struct shares *shares);

#endif
