"""BootstrapPreview: what a session would open with."""
