import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const SRC = path.join(__dirname, '..', '..', 'src');

/** One place where a file of src/ reads or writes a table or view. */
export interface TableAccess {
  /** Relative to src/. */
  readonly file: string;
  /** `jobs`, `channels/telegram`, … */
  readonly room: string;
  readonly kind: 'reads' | 'writes';
  readonly table: string;
}

/** Every access to one of these tables in the SQL of src/, but for what defines tables and views. */
export function accessesOf(tables: ReadonlySet<string>): TableAccess[] {
  return readdirSync(SRC, { encoding: 'utf8', recursive: true })
    .filter(
      (file) =>
        /\.(ts|sql)$/.test(file) &&
        !/^persistence\/(migrations|sql\/views|sql\/adopt|sql\/\d)/.test(file),
    )
    .flatMap((file) => sqlOf(file).flatMap((sql) => accessesIn(sql, file, tables)));
}

/** A `.sql` file, or the strings of a TypeScript file; what is put into them becomes `$x`. */
function sqlOf(file: string): string[] {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  if (file.endsWith('.sql')) return [text];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node)) {
      const rest = node.templateSpans.map(({ literal }) => ` $x ${literal.text}`);
      found.push(node.head.text + rest.join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

const SQL = /\b(select|insert\s+into|update|delete\s+from|truncate|join|from)\b/;
/** `with NAME as (`, `, NAME (columns) as (`: a name that is no table in this statement. */
const COMMON_TABLE =
  /\b(\w+)\s*(?:\([^)]*\))?\s+as\s+(?:not\s+materialized\s+|materialized\s+)?\(/g;
/** A clause and the tables that follow it, with their aliases, separated by commas. */
const CLAUSE =
  /\b(?:(insert\s+into|delete\s+from|truncate|(?<!for )(?<!for no key )(?<!do )update)\s+(?:only\s+)?([a-z_]+)|(?:from|join|using)\s+(?:only\s+|lateral\s+)?([a-z_]+)\b(?!\s*\())((?:\s+\w+)?(?:\s*,\s*[a-z_]+(?:\s+[a-z]+)?)*)/g;

function accessesIn(sql: string, file: string, tables: ReadonlySet<string>): TableAccess[] {
  const text = sql.replace(/--.*$/gm, ' ');
  if (!SQL.test(text)) return [];
  const named = new Set([...text.matchAll(COMMON_TABLE)].map(([, name]) => name));
  const room = roomOf(file);
  return [...text.matchAll(CLAUSE)].flatMap(([, write, written = '', read = '', more = '']) => {
    const others = more.split(',').slice(1);
    const next = others.map((other) => other.trim().split(/\s+/)[0] ?? '');
    const kind = write === undefined ? 'reads' : 'writes';
    return [written, read, ...next]
      .filter((name) => tables.has(name) && (kind === 'writes' || !named.has(name)))
      .map((table) => ({ file, room, kind, table }) as const);
  });
}

const ROOMS = new Map([
  ['buffer', 'buffer'],
  ['notify', 'candidates'],
  ['telegram', 'channels/telegram'],
  ['notion', 'notion-sync'],
]);

/** The room of a file; a function in persistence/sql belongs to the room whose tables it writes. */
function roomOf(file: string): string {
  const name = /^persistence\/sql\/functions\/([a-z]+)_/.exec(file)?.[1];
  if (name !== undefined) return ROOMS.get(name) ?? 'persistence';
  return /^(channels\/[^/]+|[^/]+)/.exec(file)?.[0] ?? '';
}
