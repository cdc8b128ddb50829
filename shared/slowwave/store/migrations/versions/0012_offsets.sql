-- How far the speaker's clock was ahead of UTC, in seconds, beside the instant. As the owner.

ALTER TABLE episodes ADD COLUMN utc_offset INTEGER DEFAULT 0 NOT NULL;
