"""Campaigns of tools/soak: one module each, with a function run(context)."""
