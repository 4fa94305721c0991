"""Campaign files: a ledger up to a save, in one file that boots without any database.

A ZIP whose every byte follows from what it holds: the save, the entries as they are stored, the
artifacts they name, the compactions and the pins. It is proved in full before it is used, and
nothing in it is ever extracted by its name.
"""

from holdfast.ledger.campaigns.reading import CampaignReader, open_campaign, opened
from holdfast.ledger.campaigns.writing import write_campaign

__all__ = ["CampaignReader", "open_campaign", "opened", "write_campaign"]
