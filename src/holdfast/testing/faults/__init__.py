"""Faults on purpose: what was written is recorded, and disks are made that lost some of it.

    ops       what a program did to its files, in order
    recorder  an SQLite VFS and a `Files` that note every operation
    disk      a disk that keeps what was synced, and of the rest whatever chance leaves
    failing   an SQLite VFS whose n-th operation fails

Whatever writes files beside SQLite takes a `Files` and is recorded in the same list.
"""
