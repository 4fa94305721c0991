"""The MCP server: tools, resources and prompts over what it is handed. It reaches nothing else."""
