import { Client } from 'pg';

/**
 * The schema of the database at `url` as SQL that makes the same one in an empty database: functions,
 * tables with constraints and indexes, views, triggers. The order is fixed, so two databases with the
 * same schema have the same text. Rows and the table `migrations` are left out.
 */
export async function dumpSchema(url: string): Promise<string> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-schema' });
  await client.connect();
  try {
    const read = async <Row>(text: string): Promise<Row[]> =>
      (await client.query(text)).rows as Row[];
    const tables = inOrderOfReferences(await read<Table>(TABLES));
    const columns = await read<Column>(COLUMNS);
    const constraints = await read<Constraint>(CONSTRAINTS);
    const indexes = await read<Definition>(INDEXES);
    const of = <Row extends { table: string }>(rows: Row[], { name }: Table): Row[] =>
      rows.filter(({ table }) => table === name);
    return [
      // A function may name a table that is created after it.
      'set check_function_bodies = off;\n',
      ...(await read<{ text: string }>(FUNCTIONS)).map(({ text }) => `${text.trim()};\n`),
      ...tables.map((table) =>
        tableText(table, of(columns, table), of(constraints, table), of(indexes, table)),
      ),
      ...(await read<{ text: string }>(VIEWS)).map(({ text }) => `${text}\n`),
      ...(await read<{ text: string }>(TRIGGERS)).map(({ text }) => `${plain(text)};\n`),
    ].join('\n');
  } finally {
    await client.end();
  }
}

interface Table {
  readonly name: string;
  readonly options: string[] | null;
  /** Tables that its foreign keys name. */
  readonly references: string[];
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly fallback: string | null;
  readonly identity: '' | 'a' | 'd';
  readonly isGenerated: boolean;
  /** Null: as its type is stored. */
  readonly storage: string | null;
}

interface Definition {
  readonly table: string;
  readonly text: string;
}

interface Constraint extends Definition {
  readonly name: string;
  readonly kind: 'p' | 'u' | 'f' | 'c';
  readonly columns: string[];
}

function tableText(
  { name, options }: Table,
  columns: readonly Column[],
  constraints: readonly Constraint[],
  indexes: readonly Definition[],
): string {
  const inline = constraints.filter((one) => isOfColumn(name, one));
  const lines = [
    ...columns.map((column) =>
      columnText(
        column,
        inline.filter((one) => one.columns[0] === column.name),
      ),
    ),
    ...constraints
      .filter((one) => !inline.includes(one))
      .map((one) => `  constraint ${one.name} ${plain(one.text)}`),
  ];
  const storages = columns.filter(({ storage }) => storage !== null);
  return [
    `create table ${name} (`,
    lines.join(',\n'),
    options === null ? ');' : `) with (${options.join(', ').replaceAll('=', ' = ')});`,
    ...storages.map(
      (column) =>
        `alter table ${name} alter column ${column.name} set storage ${column.storage ?? ''};`,
    ),
    ...indexes.map(({ text }) => `${plain(text)};`),
    '',
  ].join('\n');
}

/** Whether a constraint has the name that PostgreSQL gives it when it stands beside its column. */
function isOfColumn(table: string, { name, kind, columns }: Constraint): boolean {
  const [column = '', ...others] = columns;
  if (others.length > 0) return false;
  if (kind === 'p') return name === `${table}_pkey`;
  return name === `${table}_${column}_${{ u: 'key', f: 'fkey', c: 'check' }[kind]}`;
}

function columnText(column: Column, constraints: readonly Constraint[]): string {
  const { name, type, isRequired, fallback, identity, isGenerated } = column;
  const isKey = constraints.some(({ kind }) => kind === 'p');
  const words = [name, shortType(type)];
  if (identity !== '') {
    words.push(`generated ${identity === 'a' ? 'always' : 'by default'} as identity`);
  }
  if (isRequired && !isKey && identity === '') words.push('not null');
  if (isGenerated) words.push(`generated always as (${fallback ?? ''}) stored`);
  else if (fallback !== null) words.push(`default ${plain(fallback)}`);
  for (const { kind, text } of constraints) {
    if (kind === 'p') words.push('primary key');
    if (kind === 'u') words.push('unique');
    if (kind === 'f') words.push(plain(text).replace(/^foreign key \(\w+\) /, ''));
    if (kind === 'c') words.push(plain(text));
  }
  return `  ${words.join(' ')}`;
}

function shortType(type: string): string {
  return type
    .replace('timestamp with time zone', 'timestamptz')
    .replace('double precision', 'float8')
    .replace('integer', 'int')
    .replace('boolean', 'bool');
}

const KEYWORDS =
  /\b(CREATE|UNIQUE|INDEX|TRIGGER|AFTER|BEFORE|DELETE|INSERT|UPDATE|FOR EACH ROW|FOR EACH STATEMENT|EXECUTE FUNCTION|REFERENCING OLD TABLE|ON|OR|USING|WHERE|CHECK|FOREIGN KEY|PRIMARY KEY|REFERENCES|CASCADE|SET NULL|AND|NOT|IS|NULL|ANY|ARRAY|IN|AS|DESC|CASE|WHEN|THEN|ELSE|END)\b/g;

/** What PostgreSQL prints, as people write it: lower case, `in (…)`, no casts of plain texts. */
function plain(text: string): string {
  return text
    .split(/('(?:[^']|'')*')/)
    .map((part, n) => (n % 2 === 1 ? part : part.replace(KEYWORDS, (word) => word.toLowerCase())))
    .join('')
    .replace(/('(?:[^']|'')*')::text\b(?!\[)/g, '$1')
    .replace(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)')
    .replace(/\bON public\.|\bon public\./g, 'on ')
    .replace(/ using btree /g, ' ')
    .replaceAll('public.', '');
}

/** A table comes after those that it references; the rest is in alphabetical order. */
function inOrderOfReferences(tables: readonly Table[]): Table[] {
  const done: Table[] = [];
  const add = (table: Table): void => {
    if (done.includes(table)) return;
    const referenced = tables.filter(
      (other) => other !== table && table.references.includes(other.name),
    );
    referenced.forEach(add);
    done.push(table);
  };
  tables.forEach(add);
  return done;
}

const OURS = `c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  and c.relname <> 'migrations'`;

const TABLES = `
select c.relname as name, c.reloptions as options,
  array(select distinct k.confrelid::regclass::text from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'f') as references
from pg_class c where ${OURS} order by 1`;

const COLUMNS = `
select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
  a.attnotnull as "isRequired", pg_get_expr(d.adbin, d.adrelid) as fallback,
  a.attidentity as identity, a.attgenerated <> '' as "isGenerated",
  case when a.attstorage <> t.typstorage then
    case a.attstorage when 'e' then 'external' when 'm' then 'main' when 'p' then 'plain'
      else 'extended' end end as storage
from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where ${OURS} order by 1, a.attnum`;

const CONSTRAINTS = `
select c.relname as table, k.conname as name, k.contype as kind,
  pg_get_constraintdef(k.oid, true) as text,
  array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum = any(k.conkey)
        order by array_position(k.conkey, a.attnum)) as columns
from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
where ${OURS}
order by 1, array_position(array['p', 'u', 'f', 'c'], k.contype::text), 2`;

const INDEXES = `
select c.relname as table, pg_get_indexdef(i.indexrelid) as text
from pg_class c join pg_index i on i.indrelid = c.oid
where ${OURS} and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
order by 1, i.indexrelid::regclass::text`;

const VIEWS = `
select 'create view ' || viewname || ' as' || E'\\n' || definition as text from pg_views
where schemaname = 'public' order by viewname`;

const FUNCTIONS = `
select pg_get_functiondef(p.oid) as text from pg_proc p
where p.pronamespace = 'public'::regnamespace order by p.proname`;

const TRIGGERS = `
select pg_get_triggerdef(t.oid) as text
from pg_trigger t join pg_class c on c.oid = t.tgrelid
where ${OURS} and not t.tgisinternal order by c.relname, t.tgname`;
