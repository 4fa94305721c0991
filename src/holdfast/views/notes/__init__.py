"""The notes that people read and write: taken apart without loss, brought up to date, put together.

    parse(text)            lines, headings, and the block that was written here
    update(document, state) the same document with that block as it should be now
    read(document)         what the notes say, in any of the forms they are found in

Every line outside the block is a person's, and stays as it is, byte for byte. Inside the block the
mark at its end has a check for each line that was written: what does not fit one of them was added
or changed by a person, and is kept below the lines of the part it stood in.
"""

from holdfast.views.notes.lines import Document, Heading, Line, parse
from holdfast.views.notes.merging import TEMPLATE, Updated, blocks_of, pieces, section_of, update
from holdfast.views.notes.reading import Read, read
from holdfast.views.notes.state import Active, Identifier, Noted, Quote, State

__all__ = [
    "TEMPLATE",
    "Active",
    "Document",
    "Heading",
    "Identifier",
    "Line",
    "Noted",
    "Quote",
    "Read",
    "State",
    "Updated",
    "blocks_of",
    "parse",
    "pieces",
    "read",
    "section_of",
    "update",
]
