-- The offset of the speaker's clock from UTC, in seconds, beside the instant. As the owner.

ALTER TABLE episodes ADD COLUMN utc_offset INTEGER DEFAULT 0 NOT NULL;
