// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record mode: what is counted, when a packet is made, what is in it, and where
 * it goes (hw/registers.md 6.4, hw/record-memory.md 12 to 14).
 */
#include "memory_test.h"

#define DOM		1
#define STOP_SIGNAL	0x40

/* Twelve signals, one for each counter; 0x40 is the STOP input. */
static void wire(unsigned int dom)
{
	wr(PRE_SRC, dom, 0x03020100);
	wr(START_SRC, dom, 0x07060504);
	wr(EVENT_SRC, dom, 0x0b0a0908);
	wr(STOP_SRC, dom, STOP_SIGNAL);
	wr(STOP_OP, dom, SOURCE_0);
}

static void start(uint32_t chipset)
{
	set_up(chipset);
	wire(DOM);
}

static void test_packet_layout(void **state)
{
	unsigned int i;
	char line[60];

	start(0x84);
	for (i = 0; i < 12; i++) {
		snprintf(line, sizeof(line), "signal 1 %u duty %u/100", i, i * 7 + 1);
		say(line);
	}
	say("signal 1 0x40 duty 1/100 phase 1");	/* in clocks 99, 199, ... */
	record(DOM, 0x40, NEVER_LIMIT, 0);
	pcmodel_run(m, 1000);
	assert_int_equal(position(DOM), 0x40 + 10 * 32);
	for (i = 0; i < 10; i++) {
		uint64_t p = BUFFER + 0x40 + 32 * i;

		assert_int_equal(packet_cycles(p), 100 * (i + 1));
		assert_int_equal(packet_stop(p), 1);
		for (unsigned int k = 0; k < 12; k++)
			assert_int_equal(packet_ctr(p, k), k * 7 + 1);
	}
	assert_int_equal(packet_cycles(BUFFER + 0x40 + 320), 0);
	assert_int_equal(packet_cycles(BUFFER), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_packet_layout, new_model, free_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
