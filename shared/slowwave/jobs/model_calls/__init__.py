"""Model calls: one run plans a call, another process sends the request without a lease, and a later run reads the
reply.
"""
