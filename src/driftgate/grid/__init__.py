"""Every release of a consumer against every release of the upstream, told as ranges."""
