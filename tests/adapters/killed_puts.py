"""A process that puts checkpoints, tells of each one that is durable, and goes on until killed."""

from __future__ import annotations

import sys

from langgraph.checkpoint.base import empty_checkpoint

from holdfast.adapters.langgraph import HoldfastSaver


def main(folder: str) -> None:
    """Put a checkpoint and a write after it, again and again."""
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    with HoldfastSaver(folder) as saver:
        for step in range(100_000):
            checkpoint = empty_checkpoint() | {"channel_values": {"step": step, "pad": "x" * 5000}}
            config = saver.put(config, checkpoint, {"step": step}, {})  # type: ignore[arg-type, assignment]
            saver.put_writes(config, [("step", step)], "task")  # type: ignore[arg-type]
            print(checkpoint["id"], flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
