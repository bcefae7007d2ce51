import type { RichTextItemResponse } from '@notionhq/client';

export interface DateValue {
  readonly start: string;
  readonly end: string | null;
  readonly time_zone: string | null;
}

/** What a page holds, by the type of its column; people, pages and options by their ids. */
export interface Values {
  readonly title: readonly RichTextItemResponse[];
  readonly rich_text: readonly RichTextItemResponse[];
  readonly number: number | null;
  readonly status: string | null;
  readonly select: string | null;
  readonly date: DateValue | null;
  readonly people: readonly string[];
  readonly relation: readonly string[];
  readonly checkbox: boolean;
  readonly url: string | null;
}

export type ColumnType = keyof Values;

export type Value = {
  readonly [Type in ColumnType]: { readonly type: Type; readonly value: Values[Type] };
}[ColumnType];

const EMPTY: { readonly [Type in ColumnType]: Extract<Value, { type: Type }> } = {
  title: { type: 'title', value: [] },
  rich_text: { type: 'rich_text', value: [] },
  number: { type: 'number', value: null },
  status: { type: 'status', value: null },
  select: { type: 'select', value: null },
  date: { type: 'date', value: null },
  people: { type: 'people', value: [] },
  relation: { type: 'relation', value: [] },
  checkbox: { type: 'checkbox', value: false },
  url: { type: 'url', value: null },
};

export function isColumnType(type: string): type is ColumnType {
  return Object.hasOwn(EMPTY, type);
}

export function emptyValue(type: ColumnType): Value {
  return EMPTY[type];
}

/** A piece of text without any format. */
export function plainText(content: string, link: string | null = null): RichTextItemResponse {
  return {
    type: 'text',
    text: { content, link: link === null ? null : { url: link } },
    plain_text: content,
    href: link,
    annotations: {
      bold: false,
      italic: false,
      strikethrough: false,
      underline: false,
      code: false,
      color: 'default',
    },
  };
}

export function textOf(items: readonly RichTextItemResponse[]): string {
  return items.map((item) => item.plain_text).join('');
}
