"""Routes of the API, one file for each kind of request. Each is a verb of the library, with its documentation."""
