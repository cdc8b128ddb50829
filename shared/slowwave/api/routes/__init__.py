"""Routes of the API, one file per kind of request. Each route calls one method of the library."""
