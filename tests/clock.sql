DO $$
BEGIN
    IF to_regclass('public.test_clock') IS NOT NULL THEN
        EXECUTE (SELECT made FROM pg_temp.clock);
        DROP TABLE public.test_clock;
    END IF;
END $$;
