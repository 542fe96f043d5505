"""What mends Streamlit from inside: all of it stands here, and `EXAMBOARD_PLAIN=1` switches it off.

docs/how-to/upgrade-streamlit.md says of each part what it mends, what it gains, and what would break it.
"""

from __future__ import annotations

import os

PLAIN = os.environ.get("EXAMBOARD_PLAIN", "") not in ("", "0")
"""Whether Streamlit is to be as it comes."""
