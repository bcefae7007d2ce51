import { type Column, findColumn, optionNamed, type Source } from '../state/source';
import { plainText, type Value } from '../state/values';
import { NotionPage } from './notion-page';
import { NotionUser } from './notion-user';

type One = string | number | boolean | NotionUser | NotionPage;

/** What a person enters: text, a number, an option's name, a day, people, pages; null empties. */
export type Entered = One | readonly NotionUser[] | readonly NotionPage[] | null;

/** By the names of columns. */
export type EnteredValues = Readonly<Record<string, Entered>>;

/** Throws for a value that cannot be entered. */
export function valuesOf(source: Source, entered: EnteredValues): Map<string, Value> {
  return new Map(
    Object.entries(entered).map(([name, one]) => {
      const column = findColumn(source, name);
      if (column === null) throw new Error(`the board has no column "${name}"`);
      return [column.id, valueOf(column, one)];
    }),
  );
}

function valueOf(column: Column, entered: Entered): Value {
  const { type, name } = column;
  switch (type) {
    case 'title':
    case 'rich_text':
      return { type, value: entered === null ? [] : [plainText(text(name, entered))] };
    case 'number':
      return { type, value: entered === null ? null : number(name, entered) };
    case 'checkbox':
      return { type, value: entered === true };
    case 'url':
      return { type, value: entered === null ? null : text(name, entered) };
    case 'date': {
      const start = entered === null ? null : text(name, entered);
      return { type, value: start === null ? null : { start, end: null, time_zone: null } };
    }
    case 'status':
    case 'select':
      return { type, value: entered === null ? null : option(column, text(name, entered)) };
    case 'people':
      return { type, value: listed(entered, NotionUser, name) };
    case 'relation':
      return { type, value: listed(entered, NotionPage, name) };
  }
}

function text(column: string, entered: Entered): string {
  if (typeof entered === 'string') return entered;
  throw new Error(`"${column}" takes a text`);
}

function number(column: string, entered: Entered): number {
  if (typeof entered === 'number') return entered;
  throw new Error(`"${column}" takes a number`);
}

function option(column: Column, name: string): string {
  const found = optionNamed(column, name);
  if (found === null) throw new Error(`"${column.name}" has no option "${name}"`);
  return found.id;
}

function listed(
  entered: Entered,
  kind: typeof NotionUser | typeof NotionPage,
  column: string,
): readonly string[] {
  if (entered === null) return [];
  const all: readonly unknown[] = Array.isArray(entered) ? entered : [entered];
  return all.map((one) => {
    if (one instanceof kind) return one.id;
    throw new Error(`"${column}" takes ${kind === NotionUser ? 'people' : 'pages'}`);
  });
}
