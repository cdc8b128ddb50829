-- How much is left of each memory. Follows `decay_form`.
SELECT memory, strength FROM told
