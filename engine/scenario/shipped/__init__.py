"""The scenarios that come with the package: `voicetui rehearse --scenario NAME` plays one."""
