import { Client } from 'pg';

/**
 * The schema in words that two databases can be compared by: tables with columns, constraints and
 * indexes, and views, in a fixed order. Not a program to run.
 */
export async function dumpSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-schema' });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(SCHEMA);
    return rows.map(({ line }) => `${line}\n`).join('');
  } finally {
    await client.end();
  }
}

const SCHEMA = `
with tables as (
  select c.oid, c.relname, c.reloptions from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
), lines as (
  select relname as owner, 0 as part, 0 as n,
    'table ' || relname || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')
      as line
  from tables
  union all
  select t.relname, 1, a.attnum,
    '  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attidentity <> '' then ' identity' else '' end
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
  from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select t.relname, 2, row_number() over (order by k.conname),
    '  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
  from tables t join pg_constraint k on k.conrelid = t.oid and k.contype <> 'n'
  union all
  select t.relname, 3, row_number() over (order by i.indexrelid::regclass::text),
    '  ' || regexp_replace(pg_get_indexdef(i.indexrelid), ' ON public\\.\\w+ USING', ' using')
  from tables t join pg_index i on i.indrelid = t.oid
  where not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
  union all
  select v.viewname, 0, 0, 'view ' || v.viewname || ' as' || E'\\n' || v.definition
  from pg_views v where v.schemaname = 'public'
)
select line from lines order by owner, part, n, line`;
