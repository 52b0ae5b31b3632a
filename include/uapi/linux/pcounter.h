/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Events of the pcounter_<N> PMUs: first and last bit of every term in the
 * words of struct perf_event_attr. These positions never change; the files in
 * format/ of a PMU are made from them and name those that its GPU knows.
 *
 * All other bits are reserved and must be 0.
 */
#ifndef _UAPI_LINUX_PCOUNTER_H
#define _UAPI_LINUX_PCOUNTER_H

/* perf_event_attr.config */
#define PCOUNTER_DOM_LO			0
#define PCOUNTER_DOM_HI			3	/* domain number within its set */
#define PCOUNTER_SET_LO			4
#define PCOUNTER_SET_HI			5	/* GF100+: which domain set */
#define PCOUNTER_UNIT_LO		6
#define PCOUNTER_UNIT_HI		10	/* GF100+: which unit of the set */
#define PCOUNTER_SIG_LO			16
#define PCOUNTER_SIG_HI			23	/* source signal 0 */
#define PCOUNTER_SIG1_LO		24
#define PCOUNTER_SIG1_HI		31	/* source signal 1 */
#define PCOUNTER_SIG2_LO		32
#define PCOUNTER_SIG2_HI		39	/* source signal 2 */
#define PCOUNTER_SIG3_LO		40
#define PCOUNTER_SIG3_HI		47	/* source signal 3 */
#define PCOUNTER_OP_LO			48
#define PCOUNTER_OP_HI			63	/* truth table, 0 means 0xaaaa */

/* perf_event_attr.config1 */
#define PCOUNTER_D0_LO			0
#define PCOUNTER_D0_HI			0	/* argument 0 delayed by one clock */
#define PCOUNTER_D1_LO			1
#define PCOUNTER_D1_HI			1	/* argument 1 delayed by one clock */
#define PCOUNTER_D2_LO			2
#define PCOUNTER_D2_HI			2	/* argument 2 is source 0 delayed */
#define PCOUNTER_D3_LO			3
#define PCOUNTER_D3_HI			3	/* argument 3 is source 1 delayed */
#define PCOUNTER_FLAG_LO		4
#define PCOUNTER_FLAG_HI		4	/* argument 3 is SETFLAG */
#define PCOUNTER_PRE_LO			8
#define PCOUNTER_PRE_HI			8	/* the PRE input */
#define PCOUNTER_START_LO		9
#define PCOUNTER_START_HI		9	/* the START input */
#define PCOUNTER_EVENT_LO		10
#define PCOUNTER_EVENT_HI		10	/* the EVENT input */
#define PCOUNTER_STOP_LO		11
#define PCOUNTER_STOP_HI		11	/* the STOP input */
#define PCOUNTER_SETFLAG_LO		12
#define PCOUNTER_SETFLAG_HI		12	/* the SETFLAG input */
#define PCOUNTER_CLRFLAG_LO		13
#define PCOUNTER_CLRFLAG_HI		13	/* the CLRFLAG input */
#define PCOUNTER_CLK_LO			14
#define PCOUNTER_CLK_HI			14	/* the domain's elapsed cycles */
#define PCOUNTER_SINGLE_LO		16
#define PCOUNTER_SINGLE_HI		16	/* single event mode */
#define PCOUNTER_QUAD_LO		17
#define PCOUNTER_QUAD_HI		17	/* quad event mode */
#define PCOUNTER_RECORD_LO		18
#define PCOUNTER_RECORD_HI		18	/* record mode */
#define PCOUNTER_SHORT_LO		19
#define PCOUNTER_SHORT_HI		19	/* record mode: 16-byte packets */
#define PCOUNTER_ALL_LO			20
#define PCOUNTER_ALL_HI			20	/* EVENT_CTR_PERIOD = ALL */
#define PCOUNTER_EVPULSE_LO		21
#define PCOUNTER_EVPULSE_HI		21	/* other domains' EVENT as pulses */
#define PCOUNTER_FLAGPULSE_LO		22
#define PCOUNTER_FLAGPULSE_HI		22	/* other domains' FLAG as pulses */
#define PCOUNTER_CTR_LO			24
#define PCOUNTER_CTR_HI			27	/* counter mode */
#define PCOUNTER_PERIODIC_LO		28
#define PCOUNTER_PERIODIC_HI		30	/* PERIODIC_PERIOD code */
#define PCOUNTER_SWAP_LO		32
#define PCOUNTER_SWAP_HI		39	/* signal that ends a period */
#define PCOUNTER_MUX_LO			40
#define PCOUNTER_MUX_HI			45	/* G80+: number of a source mux */
#define PCOUNTER_SEL_LO			46
#define PCOUNTER_SEL_HI			59	/* what that mux selects */
#define PCOUNTER_TPC_LO			60
#define PCOUNTER_TPC_HI			63	/* which TPC's mux */

/*
 * perf_event_attr.config2. In single event mode init belongs to the PRE and STOP
 * inputs, threshold to the others; bit0 to bit3 are for sums in quad event mode.
 * mux3 has upper bits of threshold: only GPUs without single event mode have mux3.
 */
#define PCOUNTER_THRESHOLD_LO		0
#define PCOUNTER_THRESHOLD_HI		39	/* single event mode */
#define PCOUNTER_INIT_LO		0
#define PCOUNTER_INIT_HI		31	/* initial CTR_PRE or CTR_STOP */
#define PCOUNTER_BIT0_LO		0
#define PCOUNTER_BIT0_HI		7	/* signal of bit 0 of a number to add up */
#define PCOUNTER_BIT1_LO		8
#define PCOUNTER_BIT1_HI		15	/* of bit 1 */
#define PCOUNTER_BIT2_LO		16
#define PCOUNTER_BIT2_HI		23	/* of bit 2 */
#define PCOUNTER_BIT3_LO		24
#define PCOUNTER_BIT3_HI		31	/* of bit 3 */
#define PCOUNTER_MUX2_LO		40
#define PCOUNTER_MUX2_HI		45	/* number of a second source mux */
#define PCOUNTER_SEL2_LO		46
#define PCOUNTER_SEL2_HI		59	/* what that mux selects */
#define PCOUNTER_MUX3_LO		34
#define PCOUNTER_MUX3_HI		39	/* GF100+: number of a third one, in position 0 */

#endif
