"""Routes of the API, a file for each kind of request. Each is a verb of the library, and says what that says."""
