"""Archive files: entries that left the database, in full, and the artifacts packed beside them.

An archive is plain zstd to anyone (`zstdcat`); an index and a seek table at its end let a reader
take one entry without the rest. docs/format.md §7 has every byte. Nothing here knows which archives
are listed: that is the engine's table. The compressor is imported when it is first needed.
"""

from holdfast.storage.archives.folder import ArchiveFolder
from holdfast.storage.archives.frames import read_lines
from holdfast.storage.archives.names import name_of, pack_name
from holdfast.storage.archives.packs import artifacts_in
from holdfast.storage.archives.writing import write

__all__ = ["ArchiveFolder", "artifacts_in", "name_of", "pack_name", "read_lines", "write"]
