-- Requested work is due at once. If its due time lies in the future, the clock was set back.
CREATE INDEX intents_hastened ON intents (due) WHERE state = 'pending' AND hastened;
