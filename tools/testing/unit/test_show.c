// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "pcounter selftest" prints of the report of a card that differs from the documents.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/selftest.h"

static json_t *check(const char *name, bool ok, const char *domain, json_t *evidence,
		     json_t *differs)
{
	return json_pack("{s:s, s:b, s:s, s:o, s:o*}", "name", name, "ok", ok, "domain", domain,
			 "evidence", evidence, "register", differs);
}

/* Compare the output for stages and experiments. */
static void shows(json_t *stages, json_t *experiments, bool restored, const char *want)
{
	json_t *report = json_pack("{s:s, s:s, s:o, s:o, s:b}", "chip", "GF100",
				   "date", "2026-11-22", "stages", stages,
				   "experiments", experiments, "restored", restored);
	FILE *before = stdout;
	size_t size;
	char *text;

	assert_non_null(report);
	stdout = open_memstream(&text, &size);
	report_show(report);
	fclose(stdout);
	stdout = before;
	assert_string_equal(text, want);
	free(text);
	json_decref(report);
}

TEST(test_stages)
{
	json_t *read = json_pack("[o, o]",
		check("domain answers", true, "hub0", json_array(), NULL),
		check("domain answers", false, "gpc3.0", json_array(),
		      json_pack("[i, i, I]", 0x1b6040, 0, 0xbadf3000LL)));
	json_t *count = json_pack("[o, o, o, o]",
		check("clock", true, "hub0", json_pack("[i, i]", 540, 541), NULL),
		check("clock", true, "hub2", json_pack("[i, i]", 0, 0), NULL),
		check("clock", true, "hub3", json_pack("[i, i]", 0, 0),
		      json_pack("[i, i, i]", 0x1b06b0, 1, 0)),
		check("ZERO stays 0", false, "hub0", json_pack("[i, i, i]", 7, 60000, 0), NULL));

	shows(json_pack("[{s:s, s:[]}, {s:s, s:o}, {s:s, s:o}]", "name", "identify", "checks",
			"name", "read", "checks", read, "name", "count", "checks", count),
	      json_array(), true,
	      "\nchip GF100, 2026-11-22\nWhat works:\n"
	      "  read         1 of 2 checks as expected\n"
	      "    not: domain answers, domain gpc3.0\n"
	      "    at register 0x1b6040: badf3000 should be 00000000\n"
	      "  count        3 of 4 checks as expected\n"
	      "    not: ZERO stays 0, domain hub0: 7 60000 0\n"
	      "    clock stands still: domain hub2\n"
	      "    clock stands still: domain hub3, register 0x1b06b0 stays at 0\n"
	      "Registers are as they were found.\n");
}

TEST(test_experiments)
{
	shows(json_array(),
	      json_pack("[{s:s, s:s, s:s, s:[i, i, i]}, {s:s, s:s}]", "name", "counters",
			"verdict", "contradicts", "why", "one does not",
			"register", 0x18008c, 64, 65,
			"name", "junk", "verdict", "absent"), false,
	      "\nchip GF100, 2026-11-22\nWhat works:\nWhat was learnt:\n"
	      "  Does every counter count every clock?\n    contradicts: one does not\n"
	      "    at register 0x18008c: 00000041 should be 00000040\n"
	      "Registers are NOT as they were found.\n");
}

int main(void)
{
	return unit_run(NULL, NULL);
}
