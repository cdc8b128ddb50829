SELECT
    s.name,
    string_agg(quote_ident(a.attname), ', ')
    FILTER (WHERE pg_get_expr(d.adbin, d.adrelid) IS DISTINCT FROM 'slowwave_now()')
FROM pg_temp.seeded AS s
INNER JOIN pg_attribute AS a ON a.attrelid = s.name::regclass AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE s.columns IS NULL AND s.name = ANY(%(tables)s) AND a.attgenerated = ''
GROUP BY s.name
