import type { MessageEntity } from '@grammyjs/types';

/** A start tag that was read. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

type PlainType = MessageEntity.CommonMessageEntity['type'];

const PLAIN: Readonly<Record<string, PlainType>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  blockquote: 'blockquote',
};
const WITH_ATTRIBUTES = ['a', 'code', 'pre', 'tg-emoji'];

export function isSupported(name: string): boolean {
  return Object.hasOwn(PLAIN, name) || WITH_ATTRIBUTES.includes(name);
}

/** The entity of a closed tag; null if it has none. */
export function entityOf(
  { name, attributes }: Tag,
  offset: number,
  length: number,
  inside: string,
): MessageEntity | null {
  const place = { offset, length };
  switch (name) {
    case 'a': {
      const url = attributes.get('href') ?? inside;
      return /^[a-z][a-z0-9+.-]*:/i.test(url) ? { type: 'text_link', url, ...place } : null;
    }
    case 'tg-emoji': {
      const id = attributes.get('emoji-id') ?? '';
      return { type: 'custom_emoji', custom_emoji_id: id, ...place };
    }
    case 'pre':
      return { type: 'pre', ...place };
    case 'code':
      return { type: 'code', ...place };
    case 'blockquote':
      return {
        type: attributes.has('expandable') ? 'expandable_blockquote' : 'blockquote',
        ...place,
      };
    default: {
      const type = PLAIN[name];
      return type === undefined ? null : { type, ...place };
    }
  }
}
