"""What the MCP server is handed: its verbs over a project, and how their outcome is told."""
