"""The `audit` workflow: compares code and specifications; changes no files."""
