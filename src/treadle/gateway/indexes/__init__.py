"""The package indexes inside a sandbox: read-only, with logins and a cache that stay outside."""
