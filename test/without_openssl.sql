-- On a PostgreSQL without OpenSSL everything of sealed ids is there and says why it does not work.
CREATE EXTENSION snowid;
DO $$
DECLARE
    call text;
BEGIN
    FOREACH call IN ARRAY ARRAY['id_seal(1, ''ord'')', 'id_unseal(''ord_3OpFVydIs36JyzKjcbwurq'', ''ord'')', 'snowid_seal_key_create()', 'snowid_seal_key_create(0, ''no such file'')',
        'snowid_seal_key_use(0)', 'snowid_seal_key_drop(0)', 'snowid_seal_key_reveal(0)', '* FROM snowid_seal_keys'] LOOP
        BEGIN
            EXECUTE 'SELECT ' || call;
            RAISE EXCEPTION USING MESSAGE = call || ' works', ERRCODE = 'assert_failure';
        EXCEPTION WHEN feature_not_supported THEN
            ASSERT SQLERRM = 'sealed ids need a PostgreSQL built with OpenSSL', SQLERRM;
        END;
    END LOOP;
    ASSERT id_text(3844) = '100' AND typeid_prefix(typeid_text(uuidv7_next(), 'user')) = 'user', 'other texts';
    ASSERT length(nanoid_next()) = 21 AND snowflake_next() > 0, 'ids';
    PERFORM snowid_check();
END $$;
