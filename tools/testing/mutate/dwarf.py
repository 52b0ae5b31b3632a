# SPDX-License-Identifier: GPL-2.0-only
"""Find the fields of tables in a program by its debugging information."""

import re
import subprocess

DIE = re.compile(r" <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
ATTRIBUTE = re.compile(r"    <[0-9a-f]+>\s+(DW_AT_\w+)\s*: (.*)")
POINTERS = {"DW_TAG_pointer_type"}
ALIASES = {"DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type"}


class Die:
    """One entry of the debugging information."""

    def __init__(self, tag):
        self.tag = tag
        self.attributes = {}
        self.children = []

    def text(self, name):
        return self.attributes.get(name, "").split("): ")[-1].strip()

    def number(self, name, default=0):
        return int(self.attributes.get(name, str(default)).split()[0], 0)

    def reference(self, name):
        found = re.match(r"<0x([0-9a-f]+)>", self.attributes.get(name, ""))
        return found and int(found[1], 16)


def read(program, wanted):
    """Return the units of a program whose source file is wanted, and all entries by offset."""
    units, dies, stack, unit, die = {}, {}, [], None, None
    dump = subprocess.run(["objdump", "--dwarf=info", program], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    for line in dump.splitlines():
        found = DIE.match(line)
        if found:
            depth, offset, die = int(found[1]), int(found[2], 16), Die(found[3])
            if not depth:
                unit = die
            elif unit is None:
                continue
            dies[offset] = die
            stack[depth:] = [die]
            if depth:
                stack[depth - 1].children.append(die)
            continue
        found = die and ATTRIBUTE.match(line)
        if not found:
            continue
        die.attributes[found[1]] = found[2]
        if die is unit and found[1] == "DW_AT_name":
            name = wanted(die.text("DW_AT_name"))
            if name:
                units[name] = unit
            else:
                unit = die = None
    return units, dies


class Fields:
    """The scalar fields of the variables of a unit."""

    def __init__(self, dies):
        self.dies = dies

    def type_of(self, die):
        while True:
            reference = die.reference("DW_AT_type")
            if reference is None:
                return None
            die = self.dies[reference]
            if die.tag not in ALIASES:
                return die

    def constant(self, die):
        """Return true if a variable, or each element of an array, is constant."""
        while die.tag != "DW_TAG_const_type":
            reference = die.reference("DW_AT_type")
            if reference is None or die.tag in POINTERS:
                return False
            die = self.dies[reference]
        return True

    def variables(self, die):
        """Yield name, address and type of the constant variables below an entry."""
        for child in die.children:
            found = re.search(r"DW_OP_addr: ([0-9a-f]+)\)", child.attributes.get("DW_AT_location",
                                                                                 ""))
            if child.tag != "DW_TAG_variable" or not found:
                if child.tag in ("DW_TAG_subprogram", "DW_TAG_lexical_block"):
                    yield from self.variables(child)
                continue
            named = child
            while "DW_AT_name" not in named.attributes:
                named = self.dies[named.reference("DW_AT_specification")]
            sized = child if "DW_AT_type" in child.attributes else named
            if self.constant(sized):
                yield named.text("DW_AT_name"), int(found[1], 16), self.type_of(sized)

    def size(self, die):
        kind = die and die.tag
        if kind == "DW_TAG_array_type":
            size = self.size(self.type_of(die))
            for count in self.counts(die):
                size *= count
            return size
        return 8 if kind in POINTERS else die.number("DW_AT_byte_size") if die else 0

    @staticmethod
    def counts(die):
        return [child.number("DW_AT_upper_bound", -1) + 1 for child in die.children
                if child.tag == "DW_TAG_subrange_type"]

    def leaves(self, name, offset, die):
        """Yield name, offset, size, how and mask for each field of a type."""
        kind = die.tag if die else ""
        if kind == "DW_TAG_array_type":
            yield from self.elements(name, offset, self.type_of(die), self.counts(die))
        elif kind == "DW_TAG_structure_type":
            for member in die.children:
                if member.tag != "DW_TAG_member":
                    continue
                inner = self.type_of(member)
                path = f"{name}.{member.text('DW_AT_name')}"
                if "DW_AT_bit_size" in member.attributes:
                    bit = member.number("DW_AT_data_bit_offset")
                    yield path, offset + bit // 8, 1, "x", 1 << bit % 8
                else:
                    yield from self.leaves(
                        path, offset + member.number("DW_AT_data_member_location"), inner)
        elif kind in POINTERS:
            target = self.type_of(die)
            if not target or target.tag != "DW_TAG_subroutine_type":
                text = target and target.text("DW_AT_name") == "char"
                yield name, offset, 8, "t" if text else "z", 0
        elif kind in ("DW_TAG_base_type", "DW_TAG_enumeration_type"):
            yield name, offset, die.number("DW_AT_byte_size"), "x", 1

    def elements(self, name, offset, inner, counts):
        size = self.size(inner)
        for count in counts[1:]:
            size *= count
        for i in range(counts[0] if counts else 0):
            path = f"{name}[{i}]"
            if counts[1:]:
                yield from self.elements(path, offset + i * size, inner, counts[1:])
            else:
                yield from self.leaves(path, offset + i * size, inner)
