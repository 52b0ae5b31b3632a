# SPDX-License-Identifier: GPL-2.0-only
"""Names of public events that a signal of the chip has, too."""

import types
import unittest

import load
from hwtables import TableError

tables = load.script("eventtables")
CHIP = types.SimpleNamespace(name="G84")


class Row(dict):
    """A row of a table, as far as it is asked for."""

    def refuse(self, why):
        raise TableError(why)


def signal(name, number, where=0x10):
    return types.SimpleNamespace(name=name, set="hub", number=number, signal=where, bits=1)


def event(name, number, **terms):
    return types.SimpleNamespace(name=name, chip=CHIP, set="hub", number=number,
                                 terms={"dom": number, **terms}, row=Row(event=name))


def public(signals, events):
    """All of them on one chip."""
    made = object.__new__(tables.PublicEvents)
    made.names = types.SimpleNamespace(events={"G84": signals})
    made.events = {"G84": events}
    return made


class Collisions(unittest.TestCase):
    """The name stays the signal's."""

    def test_same_thing(self):
        """One file is enough where signal and event are the same wire."""
        made = public([signal("gpu_idle", 1)], [])
        self.assertTrue(made.is_signal(event("gpu_idle", 1, sig=0x10)))
        self.assertFalse(made.is_signal(event("gpu_idle", 1, sig=0x11)))
        self.assertFalse(made.is_signal(event("gpu_idle", 2, sig=0x10)))
        self.assertFalse(made.is_signal(event("gpu_idle", 1, sig=0x10, op=0x5555)))

    def test_another_thing(self):
        """An event that is something else says so in its name."""
        events = [event("busy", 1, sig=0x11), event("tiles", 1, sig=0x12, ctr=1),
                  event("free", 1, sig=0x13)]
        public([signal("busy", 1), signal("tiles", 1)], events).settle_names()
        self.assertEqual([e.name for e in events], ["busy_event", "tiles_sum", "free"])

    def test_no_name_is_left(self):
        """Two of one name are a mistake of the tables."""
        with self.assertRaises(TableError):
            public([], [event("busy", 1, sig=1), event("busy", 1, sig=2)]).settle_names()
        with self.assertRaises(TableError):
            public([signal("busy", 1), signal("busy_event", 1)],
                   [event("busy", 1, sig=0x11)]).settle_names()


class Numbers(unittest.TestCase):
    """A PMFB whose position is 0 is set to it, whatever was there before."""

    def test_position_0(self):
        path = tables.DRIVER / "hw/mux_table.c"
        muxes = tables.read_muxes(path)
        names = {mux.id: mux.name for mux in muxes}
        chosen = tables.decode_mux(muxes, 0xc0, 0x140028, 1, {0x21})
        self.assertEqual({names[mux]: position for mux, position, _ in chosen},
                         {"PMFB": 0, "PMFB.SLICE": 0})
        with self.assertRaises(tables.Missing):
            tables.decode_mux(muxes, 0xc0, 0x140028, 0, {0x21})


if __name__ == "__main__":
    unittest.main()
