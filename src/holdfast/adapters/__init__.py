"""The ledger as agent frameworks use it: a checkpointer, a session, a decorator.

    from holdfast.adapters import recorded                       any Python function
    from holdfast.adapters.langgraph import HoldfastSaver        a LangGraph checkpointer
    from holdfast.adapters.openai_agents import HoldfastSession  a session of the OpenAI Agents SDK

The last two need the extra `adapters`. What is not here: how state is kept (`wiring.kept_state`).
"""

from __future__ import annotations

from holdfast.adapters.functions import recorded

__all__ = ["recorded"]
