-- A belief has one live version: the constraint compares open versions alone, as an index of their history takes two
-- thirds of the time of an insert. `slowwave check` compares closed versions, too. As the owner.
ALTER TABLE facts DROP CONSTRAINT facts_one_live_version;
ALTER TABLE facts ADD CONSTRAINT facts_one_live_version
    EXCLUDE USING gist (int8range(belief, belief, '[]') WITH &&, valid WITH &&) WHERE (upper_inf(recorded));
CREATE INDEX facts_of_belief ON facts (belief);
