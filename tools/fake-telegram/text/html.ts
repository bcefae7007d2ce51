import type { MessageEntity } from '@grammyjs/types';
import { ApiError } from '../api-error';
import { type Tag, entityOf, isSupported } from './tags';

/** A visible text with its entities. Offsets and lengths in UTF-16 units. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

interface OpenTag extends Tag {
  readonly offset: number;
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const CHARACTER = /^&(?:#(\d{1,8})|#x([0-9a-f]{1,8})|(lt|gt|amp|quot));?/i;

/**
 * Reads Telegram's HTML by the rules of https://core.telegram.org/bots/api#html-style. Throws
 * `Bad Request: can't parse entities: …` with the position in bytes, as the Bot API words it.
 */
export function parseHtml(source: string): FormattedText {
  return new HtmlReader(source).read();
}

class HtmlReader {
  private at = 0;
  private text = '';
  private readonly open: OpenTag[] = [];
  private readonly entities: MessageEntity[] = [];
  private lastCode: { readonly tag: Tag; readonly entity: MessageEntity } | null = null;

  constructor(private readonly source: string) {}

  read(): FormattedText {
    while (this.at < this.source.length) this.step();
    const unclosed = this.open.at(-1);
    if (unclosed !== undefined) {
      throw refuse(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
    }
    this.entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
    return { text: this.text, entities: this.entities };
  }

  private step(): void {
    const next = this.source[this.at];
    if (next === '&') {
      this.readCharacter();
      return;
    }
    if (next !== '<') {
      this.text += next ?? '';
      this.at += 1;
      return;
    }
    if (this.source[this.at + 1] === '/') this.readEndTag();
    else this.readStartTag();
  }

  private readCharacter(): void {
    const [found, decimal, hex, name] =
      CHARACTER.exec(this.source.slice(this.at, this.at + 12)) ?? [];
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const decoded = name === undefined ? characterOf(code) : NAMED[name.toLowerCase()];
    this.text += decoded ?? '&';
    this.at += decoded === undefined || found === undefined ? 1 : found.length;
  }

  private readStartTag(): void {
    const begin = this.at;
    const name = /^[^\s>]*/.exec(this.source.slice(begin + 1))?.[0].toLowerCase() ?? '';
    this.at += 1 + name.length;
    if (this.at >= this.source.length) throw refuse('Unclosed start tag', this.bytes(begin));
    if (!isSupported(name)) throw refuse(`Unsupported start tag "${name}"`, this.bytes(begin));
    const attributes = this.readAttributes(name, begin);
    if (name === 'span' && attributes.get('class') !== 'tg-spoiler') {
      throw refuse('Tag "span" must have class "tg-spoiler"', this.bytes(begin));
    }
    this.open.push({ name, attributes, offset: this.text.length });
  }

  private readAttributes(tag: string, begin: number): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      this.skipSpaces();
      const next = this.source[this.at];
      if (next === undefined) throw refuse('Unclosed start tag', this.bytes(begin));
      if (next === '>') {
        this.at += 1;
        return attributes;
      }
      this.readAttribute(tag, attributes);
    }
  }

  private readAttribute(tag: string, attributes: Map<string, string>): void {
    const begin = this.at;
    const name = /^[^\s=>/"']*/.exec(this.source.slice(begin))?.[0].toLowerCase() ?? '';
    if (name === '') {
      throw refuse(`Empty attribute name in the tag "${tag}"`, this.bytes(begin));
    }
    this.at += name.length;
    this.skipSpaces();
    if (this.source[this.at] !== '=') {
      attributes.set(name, '');
      return;
    }
    this.at += 1;
    this.skipSpaces();
    const value = /^(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/.exec(this.source.slice(this.at));
    if (value === null) throw refuse('Unclosed start tag', this.bytes(begin));
    this.at += value[0].length;
    attributes.set(name, parseCharacters(value[1] ?? value[2] ?? value[3] ?? ''));
  }

  private readEndTag(): void {
    const begin = this.at;
    const found = /^<\/([^\s>]*)\s*(>?)/.exec(this.source.slice(begin));
    const name = found?.[1]?.toLowerCase() ?? '';
    const tag = this.open.pop();
    if (tag === undefined) throw refuse('Unexpected end tag', this.bytes(begin));
    if (found?.[2] !== '>') throw refuse('Unclosed end tag', this.bytes(begin));
    // A bare `</>` closes whatever is open.
    if (name !== '' && name !== tag.name) {
      const both = `expected "</${tag.name}>", found "</${name}>"`;
      throw refuse(`Unmatched end tag`, this.bytes(begin), both);
    }
    this.at += found[0].length;
    this.close(tag);
  }

  private close(tag: OpenTag): void {
    const { offset } = tag;
    const length = this.text.length - offset;
    if (length === 0) return;
    const entity = entityOf(tag, offset, length, this.text.slice(offset));
    if (entity === null) return;
    this.entities.push(entity.type === 'pre' ? this.withLanguage(entity) : entity);
    if (tag.name === 'code') this.lastCode = { tag, entity };
  }

  /** <pre><code class="language-x"> is one entity, with its language. */
  private withLanguage(pre: MessageEntity.PreMessageEntity): MessageEntity {
    const { tag, entity } = this.lastCode ?? {};
    if (entity === undefined || entity !== this.entities.at(-1)) return pre;
    if (entity.length !== pre.length) return pre;
    this.entities.pop();
    const language = /^language-(.+)$/.exec(tag?.attributes.get('class') ?? '')?.[1];
    return language === undefined ? pre : { ...pre, language };
  }

  private skipSpaces(): void {
    while (/\s/.test(this.source[this.at] ?? '')) this.at += 1;
  }

  private bytes(at: number): number {
    return Buffer.byteLength(this.source.slice(0, at));
  }
}

function parseCharacters(text: string): string {
  return text.replace(/&(?:#\d{1,8}|#x[0-9a-f]{1,8}|lt|gt|amp|quot);?/gi, (found) => {
    const [, decimal, hex, name] = CHARACTER.exec(found) ?? [];
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return (name === undefined ? characterOf(code) : NAMED[name.toLowerCase()]) ?? found;
  });
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function refuse(what: string, byteOffset?: number, more?: string): ApiError {
  const place = byteOffset === undefined ? '' : ` at byte offset ${String(byteOffset)}`;
  const rest = more === undefined ? '' : `, ${more}`;
  return ApiError.badRequest(`can't parse entities: ${what}${place}${rest}`);
}
