# SPDX-License-Identifier: GPL-2.0-only
"""Compare the parts of a picture that are the same on each machine."""

import re
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def shapes(path):
    """Return the drawn paths and rectangles, as numbers to a hundredth. The background of
    the picture is larger than the picture in cairo 1.18.
    """
    found = []
    root = xml.etree.ElementTree.parse(path).getroot()
    page = [float(root.get(key).removesuffix("pt")) for key in ("width", "height")]

    def walk(element, inside):
        name = element.tag.removeprefix(SVG)
        inside = inside or name in ("defs", "symbol")
        if name in ("path", "rect") and not inside:
            text = element.get("d") or " ".join(element.get(key) or "0" for key in
                                                ("x", "y", "width", "height"))
            numbers = [round(float(n), 2) for n in re.findall(r"-?[\d.]+", text)]
            if name == "rect" and numbers[0] <= 0 and numbers[2] >= page[0]:
                numbers = [0.0, 0.0, *page]
            found.append(numbers)
        for child in element:
            walk(child, inside)

    walk(root, False)
    return found
