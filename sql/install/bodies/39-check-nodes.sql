
-- what is wrong with the nodes of Citus ---------------------------------------------

-- What the nodes of Citus must know of each other: also the numbers with which nobody else may make ids.
-- A generator that shares its numbers, or has a part of the sequence, says nothing by its number alone.
CREATE FUNCTION _snowid.check_node() RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
    WITH numbers (generator, scheme, layout, number) AS (
        SELECT NULL, own.scheme, CASE own.scheme WHEN 'snowflake' THEN _snowid.recorded_layout() END, own.in_force
            FROM _snowid.numbers_of_server() AS own
                JOIN pg_catalog.pg_settings AS known ON known.name = own.setting AND known.source <> 'default',
                _snowid.worker() AS worker
            WHERE worker.state = 'held'
        UNION ALL
        SELECT name, scheme,
                CASE scheme WHEN 'snowflake' THEN coalesce(layout, _snowid.recorded_layout()) END,
                coalesce(worker, partition)
            FROM _snowid.generator
            WHERE name IS NOT NULL AND NOT overlap AND coalesce(sequence_min, sequence_max) IS NULL
                AND coalesce(worker, partition) IS NOT NULL)
    SELECT jsonb_build_object('layout', _snowid.recorded_layout(),
        'numbers', ARRAY(SELECT to_jsonb(n) FROM numbers AS n),
        'generators', ARRAY(SELECT name FROM _snowid.generator WHERE name IS NOT NULL));
END;

-- What the nodes of Citus say to their coordinator, if this is it.
-- Citus connects to the others as the caller. Its functions are looked up when this runs: most databases have none.
CREATE FUNCTION _snowid.check_nodes_asked(OUT node text, OUT refusal text, OUT told jsonb) RETURNS SETOF record
    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 8 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_coordinator boolean;
    asked record;
BEGIN
    IF pg_is_in_recovery() OR to_regprocedure('pg_catalog.run_command_on_workers(text,boolean)') IS NULL THEN
        RETURN;
    END IF;
    EXECUTE 'SELECT groupid = 0 FROM pg_dist_local_group' INTO is_coordinator;
    IF is_coordinator IS NOT TRUE THEN
        RETURN;
    END IF;
    node := 'this node';
    told := _snowid.check_node();
    RETURN NEXT;
    FOR asked IN EXECUTE 'SELECT format(''node %s:%s'', nodename, nodeport) AS node, success, result '
            'FROM run_command_on_workers(''SELECT _snowid.check_of_node()'')' LOOP
        node := asked.node;
        refusal := CASE WHEN NOT asked.success THEN coalesce(asked.result, 'it does not answer') END;
        told := CASE WHEN asked.success THEN asked.result END;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE FUNCTION _snowid.check_nodes(OUT subject text, OUT finding text, OUT what_to_do text, OUT severity text)
    RETURNS SETOF record LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1
BEGIN ATOMIC
    WITH asked AS MATERIALIZED (SELECT * FROM _snowid.check_nodes_asked()),
    own AS (SELECT told FROM asked WHERE node = 'this node'),
    number AS (
        SELECT node, n.scheme, n.layout, n.number,
                CASE WHEN generator IS NULL THEN node ELSE format('generator %s of %s', generator, node) END AS holder
            FROM asked, jsonb_to_recordset(told -> 'numbers')
                AS n (generator text, scheme text, layout text, number integer))
    SELECT 'nodes', format('%s cannot be asked: %s', node, refusal),
            'Install snowid there, add it to shared_preload_libraries after citus, restart, and run CREATE EXTENSION '
                'snowid or its update here. If it is only that your role cannot connect, ask as another one.',
            'error'
        FROM asked WHERE refusal IS NOT NULL
    UNION ALL
    SELECT 'nodes', format('%s: %s', node, error ->> 'finding'), format('There: %s', error ->> 'what_to_do'), 'error'
        FROM asked, jsonb_array_elements(told -> 'errors') AS error
    UNION ALL
    SELECT 'nodes', format('%s has the layout %s, and this node %s', node, asked.told ->> 'layout',
                own.told ->> 'layout'),
            'Their ids can be the same, and their times are read wrong. Set snowid.layout there as here, restart it, '
                'and correct the record with snowid_layout_change.',
            'error'
        FROM asked, own WHERE asked.told ->> 'layout' <> own.told ->> 'layout'
    UNION ALL
    SELECT 'nodes', format('%s can make the same ids: they have the %s %s', string_agg(holder, ' and ' ORDER BY holder),
                (SELECT title FROM _snowid.numbers_of_server() AS own WHERE own.scheme = number.scheme), number),
            'Give each node a number that no other has, and each of their generators.', 'error'
        FROM number GROUP BY scheme, layout, number HAVING count(DISTINCT node) > 1
    UNION ALL
    SELECT 'nodes', format('%s has no generator %s', node, name),
            'A statement that makes its ids there fails. Make it on every node, each with a number of its own.',
            'warning'
        FROM asked, own, jsonb_array_elements_text(own.told -> 'generators') AS name
        WHERE NOT asked.told -> 'generators' ? name;
END;
