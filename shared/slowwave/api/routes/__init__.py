"""Routes of the API, one file per kind of request. Each route calls one verb of the library."""
