-- A fact has a form, a text of its own and a tense; statements fade by a rule of theirs. Run as slowwave_owner.

ALTER TABLE facts
    ADD COLUMN form TEXT DEFAULT 'typed' NOT NULL,
    ADD COLUMN text TEXT,
    ADD COLUMN tense TEXT DEFAULT 'current' NOT NULL;

-- By a change of type, which rewrites every row: row-level security would hide the tenants' rows from an UPDATE.

ALTER TABLE facts ALTER COLUMN text TYPE TEXT USING slowwave_in_words(subject, predicate, object);
ALTER TABLE facts
    ALTER COLUMN text SET NOT NULL,
    ADD CONSTRAINT facts_form_check CHECK (form IN ('typed', 'statement')),
    ADD CONSTRAINT facts_tense_check CHECK (tense IN ('current', 'past', 'future')),
    DROP COLUMN terms,
    ADD COLUMN terms TSVECTOR GENERATED ALWAYS AS (to_tsvector('english'::regconfig, text)) STORED;

DROP FUNCTION slowwave_in_words(text, text, text);

ALTER TABLE standing
    DROP CONSTRAINT standing_source_check,
    ADD CONSTRAINT standing_source_check CHECK (source IN ('stated', 'inferred', 'statement'));
