import type { CreatePageParameters, RichTextItemResponse } from '@notionhq/client';
import { ApiError } from '../api-error';
import { columnFor } from '../query/filter';
import { readId } from '../state/ids';
import { newOption } from '../state/new-column';
import { type Column, type Option, optionNamed, type Source } from '../state/source';
import { plainText, type Value } from '../state/values';
import type { WorkspaceState } from '../state/workspace-state';

type Input = NonNullable<CreatePageParameters['properties']>[string];
type InputOf<Key extends string> = Extract<Input, Record<Key, unknown>>;
type Chosen = NonNullable<InputOf<'select'>['select']>;

const LONGEST_TEXT = 2000;
const MOST_ITEMS = 100;

/** Values of a call by their columns' ids; throws 400 for what the columns cannot hold. */
export function readProperties(
  state: WorkspaceState,
  source: Source,
  properties: Readonly<Record<string, Input>>,
): Map<string, Value> {
  return new Map(
    Object.entries(properties).map(([key, input]) => {
      const column = propertyNamed(source, key);
      return [column.id, readProperty(state, column, input)];
    }),
  );
}

function propertyNamed(source: Source, key: string): Column {
  try {
    return columnFor(source, key);
  } catch {
    throw ApiError.validation(`${key} is not a property that exists.`);
  }
}

function readProperty(state: WorkspaceState, column: Column, input: Input): Value {
  if (!Object.hasOwn(input, column.type)) {
    throw ApiError.validation(`${column.name} is expected to be ${column.type}.`);
  }
  switch (column.type) {
    case 'title':
      return { type: 'title', value: readText(column, (input as InputOf<'title'>).title) };
    case 'rich_text': {
      const items = (input as InputOf<'rich_text'>).rich_text;
      return { type: 'rich_text', value: readText(column, items) };
    }
    case 'number':
      return { type: 'number', value: (input as InputOf<'number'>).number };
    case 'status': {
      const { status } = input as InputOf<'status'>;
      return { type: 'status', value: status === null ? null : existing(column, status).id };
    }
    case 'select': {
      const { select } = input as InputOf<'select'>;
      return { type: 'select', value: select === null ? null : existingOrNew(column, select).id };
    }
    case 'date':
      return { type: 'date', value: readDate(column, (input as InputOf<'date'>).date) };
    case 'people': {
      const ids = (input as InputOf<'people'>).people.map(({ id }) => readId('people.id', id));
      return { type: 'people', value: bounded(column, ids, (id) => isMember(state, id)) };
    }
    case 'relation': {
      const ids = (input as InputOf<'relation'>).relation.map(({ id }) => readId('page id', id));
      const isThere = (id: string): boolean => state.pages.get(id)?.sourceId === column.relatedTo;
      return { type: 'relation', value: bounded(column, ids, isThere) };
    }
    case 'checkbox':
      return { type: 'checkbox', value: (input as InputOf<'checkbox'>).checkbox };
    case 'url': {
      const { url } = input as InputOf<'url'>;
      if (url !== null && (url === '' || url.length > LONGEST_TEXT)) throw tooLong(column, url);
      return { type: 'url', value: url };
    }
  }
}

function isMember(state: WorkspaceState, id: string): boolean {
  return state.people.get(id)?.isGone === false;
}

function readText(column: Column, items: InputOf<'title'>['title']): RichTextItemResponse[] {
  if (items.length > MOST_ITEMS) throw tooMany(column, items.length);
  return items.map((item) => {
    if (!('text' in item)) {
      throw new ApiError(501, 'invalid_request', 'this test server writes plain text only');
    }
    const { content, link } = item.text;
    if (content.length > LONGEST_TEXT) throw tooLong(column, content);
    return plainText(content, link?.url ?? null);
  });
}

function readDate(column: Column, date: InputOf<'date'>['date']) {
  if (date === null) return null;
  for (const day of [date.start, date.end ?? date.start]) {
    if (/^\d{4}-\d\d-\d\d/.test(day) && !Number.isNaN(Date.parse(day))) continue;
    throw ApiError.validation(
      `${column.name} should be a valid ISO 8601 date string, instead was \`"${day}"\`.`,
    );
  }
  return { start: date.start, end: date.end ?? null, time_zone: date.time_zone ?? null };
}

function existing(column: Column, chosen: Chosen): Option {
  const { name, id } = chosen;
  const option =
    name === undefined ? column.options.find((one) => one.id === id) : optionNamed(column, name);
  if (option !== undefined && option !== null) return option;
  const what = `${column.type} option "${name ?? id ?? ''}"`;
  throw ApiError.validation(`Invalid ${column.type} option. ${what} does not exist.`);
}

/** An unknown option of a select is created when a call names it; an unknown status is refused. */
function existingOrNew(column: Column, chosen: Chosen): Option {
  const { name } = chosen;
  if (name === undefined || optionNamed(column, name) !== null) return existing(column, chosen);
  if (name.includes(',')) throw ApiError.validation('Invalid select option, commas not allowed');
  const option = newOption(column.id, name);
  column.options.push(option);
  return option;
}

function bounded(column: Column, ids: string[], isKnown: (id: string) => boolean): string[] {
  if (ids.length > MOST_ITEMS) throw tooMany(column, ids.length);
  const unknown = ids.find((id) => !isKnown(id));
  if (unknown === undefined) return [...new Set(ids)];
  if (column.type === 'relation') throw ApiError.notFound('page', unknown);
  throw ApiError.validation(`User with ID ${unknown} is not a member of this workspace.`);
}

function tooMany(column: Column, count: number): ApiError {
  return ApiError.validation(
    `body failed validation: body.properties.${column.name}.length should be ≤ \`${MOST_ITEMS}\`, instead was \`${count}\`.`,
  );
}

function tooLong(column: Column, text: string): ApiError {
  return ApiError.validation(
    `body failed validation: body.properties.${column.name} length should be from 1 to \`${LONGEST_TEXT}\`, instead was \`${text.length}\`.`,
  );
}
