"""What would undo a protection if it went out with the speech; a file for each kind."""
