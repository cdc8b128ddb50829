"""Jobs over what is believed."""
