-- An episode may hold several claims that a person is to decide: each is a letter of its own. As the owner.

ALTER TABLE dead_letters DROP CONSTRAINT dead_letters_state_check;
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_state_check
    CHECK (state IN ('open', 'retried', 'dropped', 'decided'));

DROP INDEX dead_letters_one_open;
CREATE UNIQUE INDEX dead_letters_one_open
    ON dead_letters (scope, pack, episode, category, coalesce(item ->> 'delta', ''))
    WHERE state = 'open' AND episode IS NOT NULL;
