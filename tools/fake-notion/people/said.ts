import { type Column, findColumn, optionNamed, type Source } from '../world/source';
import { plainText, type Value } from '../world/values';
import { NotionPage } from './notion-page';
import { NotionUser } from './notion-user';

type One = string | number | boolean | NotionUser | NotionPage;

/** What a person enters: text, a number, an option's name, a day, people, pages; null empties. */
export type Said = One | readonly NotionUser[] | readonly NotionPage[] | null;

/** By the names of columns. */
export type SaidValues = Readonly<Record<string, Said>>;

/** Throws for a value that cannot be entered. */
export function valuesOf(source: Source, said: SaidValues): Map<string, Value> {
  return new Map(
    Object.entries(said).map(([name, one]) => {
      const column = findColumn(source, name);
      if (column === null) throw new Error(`the board has no column "${name}"`);
      return [column.id, valueOf(column, one)];
    }),
  );
}

function valueOf(column: Column, said: Said): Value {
  const { type, name } = column;
  switch (type) {
    case 'title':
    case 'rich_text':
      return { type, value: said === null ? [] : [plainText(text(name, said))] };
    case 'number':
      return { type, value: said === null ? null : number(name, said) };
    case 'checkbox':
      return { type, value: said === true };
    case 'url':
      return { type, value: said === null ? null : text(name, said) };
    case 'date': {
      const start = said === null ? null : text(name, said);
      return { type, value: start === null ? null : { start, end: null, time_zone: null } };
    }
    case 'status':
    case 'select':
      return { type, value: said === null ? null : option(column, text(name, said)) };
    case 'people':
      return { type, value: listed(said, NotionUser, name) };
    case 'relation':
      return { type, value: listed(said, NotionPage, name) };
  }
}

function text(column: string, said: Said): string {
  if (typeof said === 'string') return said;
  throw new Error(`"${column}" takes a text`);
}

function number(column: string, said: Said): number {
  if (typeof said === 'number') return said;
  throw new Error(`"${column}" takes a number`);
}

function option(column: Column, name: string): string {
  const found = optionNamed(column, name);
  if (found === null) throw new Error(`"${column.name}" has no option "${name}"`);
  return found.id;
}

function listed(
  said: Said,
  kind: typeof NotionUser | typeof NotionPage,
  column: string,
): readonly string[] {
  if (said === null) return [];
  const all: readonly unknown[] = Array.isArray(said) ? said : [said];
  return all.map((one) => {
    if (one instanceof kind) return one.id;
    throw new Error(`"${column}" takes ${kind === NotionUser ? 'people' : 'pages'}`);
  });
}
