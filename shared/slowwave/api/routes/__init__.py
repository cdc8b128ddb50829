"""Routes of the API, one file for each kind of request. Each route calls one verb of the library."""
