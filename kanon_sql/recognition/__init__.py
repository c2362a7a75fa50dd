"""Recognizing what a column says about people: by its name, in eight languages, and by its texts.

`names.toml` and `forms.toml` hold the rules. The macros `profile` and `safe_harbor` are built from the same files.
"""

from kanon_sql.recognition.names import recognized_name
from kanon_sql.recognition.recognized import Recognized
from kanon_sql.recognition.texts import recognized

__all__ = ["Recognized", "recognized", "recognized_name"]
