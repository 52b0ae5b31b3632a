# SPDX-License-Identifier: GPL-2.0-only
"""Settings of Sphinx for "make html"."""

project = "pcounter"
copyright = "2026 pcounter maintainers"
author = "pcounter maintainers"
exclude_patterns = ["README"]
html_theme = "alabaster"
# the pages have their sources beside them
html_copy_source = False
# the same bytes whenever they are made
html_last_updated_fmt = None
