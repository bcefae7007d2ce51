import type { Chance } from '../storm/chance';
import type { ApiDocument, Schema } from './api-document';

/** Makes values that fit the schemas of the document. */
export class Values {
  constructor(
    private readonly document: ApiDocument,
    private readonly chance: Chance,
  ) {}

  /** `hint` is asked for each member first. */
  valid(given: Schema, hint: Hint): unknown {
    const { chance } = this;
    const schema = this.document.resolve(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return chance.pick(schema.enum);
    if (schema.anyOf !== undefined) return this.valid(chance.pick(schema.anyOf), hint);
    switch (schema.type) {
      case 'object':
        return this.object(schema, hint);
      case 'array': {
        const { items = {} } = schema;
        return Array.from({ length: 1 + chance.below(2) }, () => this.valid(items, hint));
      }
      case 'integer':
      case 'number': {
        const { minimum = 0, maximum = 1000 } = schema;
        return minimum + chance.below(Math.min(maximum - minimum, 1000) + 1);
      }
      case 'boolean':
        return chance.below(2) === 0;
      case 'string':
        if (schema.format === 'uuid') return '019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55';
        if (schema.format === 'date-time') return '2026-11-25T09:30:00Z';
        if (schema.pattern?.includes(String.raw`\d`) === true) return String(chance.below(50));
        return words(chance).slice(0, schema.maxLength ?? 1000);
      case undefined:
      default:
        return words(chance);
    }
  }

  private object({ properties = {}, required = [] }: Schema, hint: Hint): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.includes(name) && this.chance.below(2) === 0) continue;
      made[name] = hint(name) ?? this.valid(schema, hint);
    }
    return made;
  }
}

/** A value for a member of this name; undefined: any that fits its schema. */
export type Hint = (name: string) => unknown;

const WORDS = ['ledger', 'payments', 'team', 'reviewed', 'пекарня', 'deadline', '数据库', 'tested'];

export function words(chance: Chance): string {
  return Array.from({ length: 1 + chance.below(8) }, () => chance.pick(WORDS)).join(' ');
}

/** Texts that parsers, databases and file systems read in ways of their own. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\uFEFF',
  '\u202Eevil\u202C',
  '\u{1F469}\u200D\u{1F469}\u200D\u{1F466}'.repeat(50),
  'e\u0301\u0302\u0303'.repeat(300),
  '\u{10FFFF}\uFFFE\uFFFF',
  "' or 1=1; drop table message; --",
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'true',
  'null',
  '-0',
  '9'.repeat(40),
  '__proto__',
  'constructor',
  '\r\nset-cookie: a=b',
  '00000000-0000-0000-0000-000000000000',
  '\\u0000',
  '%s%n%x',
  'i\u0307İßǅ',
];
const HOSTILE_NUMBERS: readonly number[] = [
  -1,
  0,
  0.1,
  1e-320,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e21,
  1.7e308,
];
/** Where a value of another type is expected. */
const OTHERS: readonly unknown[] = [null, true, false, 0, -1.5, '', 'text', [], {}, [[]], [null]];

/** What PostgreSQL does not store as text. */
const UNSTORABLE: readonly string[] = ['\u0000', 'a\u0000b', '\uD800', 'x\uDFFFy'];

export function hostileText(chance: Chance): string {
  if (chance.below(3) === 0) return chance.pick(UNSTORABLE);
  if (chance.below(12) === 0) return 'long '.repeat(1 + chance.below(5000));
  return chance.pick(HOSTILE_TEXTS);
}

export const MUTATIONS = [
  'field',
  'type',
  'members',
  'huge',
  'unicode',
  'duplicate',
  'broken',
] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** More than the largest JSON body that most endpoints read. */
const HUGE = 300_000;

/** The text of a JSON body, changed in one way; it need not be JSON any more. */
export function mutate(value: unknown, how: Mutation, chance: Chance): string | Buffer {
  switch (how) {
    case 'field':
      return JSON.stringify(replaceOne(value, chance, (old) => hostileLike(old, chance)));
    case 'type':
      return JSON.stringify(replaceOne(value, chance, () => chance.pick(OTHERS)));
    case 'members':
      return JSON.stringify(withOtherMembers(value, chance));
    case 'huge':
      return hugeOf(value, chance);
    case 'unicode':
      return JSON.stringify(replaceOne(value, chance, () => hostileText(chance)));
    case 'duplicate':
      return withDuplicate(value, chance);
    case 'broken':
      return brokenOf(JSON.stringify(value), chance);
  }
}

type Step = string | number;

function pathsIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]));
  return [path, ...inside];
}

function replaceOne(value: unknown, chance: Chance, by: (old: unknown) => unknown): unknown {
  const inner = pathsIn(value).filter(({ length }) => length > 0);
  return inner.length === 0 ? by(value) : replaceAt(value, chance.pick(inner), by);
}

function replaceAt(value: unknown, path: readonly Step[], by: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by(value);
  const copy = structuredClone(value) as Record<Step, unknown>;
  copy[step] = replaceAt(copy[step], rest, by);
  return copy;
}

function hostileLike(old: unknown, chance: Chance): unknown {
  return typeof old === 'number' ? chance.pick(HOSTILE_NUMBERS) : hostileText(chance);
}

/** One member less, or one that nobody expects. */
function withOtherMembers(value: unknown, chance: Chance): unknown {
  const members = Object.entries(value ?? {});
  if (members.length > 0 && chance.below(2) === 0) {
    const dropped = chance.below(members.length);
    return Object.fromEntries(members.filter((_, index) => index !== dropped));
  }
  const added = chance.pick(['extra', '', 'toString', 'then', '$ref', 'é', 'a'.repeat(5000)]);
  return Object.fromEntries([...members, [added, chance.pick(OTHERS)]]);
}

function hugeOf(value: unknown, chance: Chance): string {
  switch (chance.below(4)) {
    case 0:
      return JSON.stringify(replaceOne(value, chance, () => 'x'.repeat(HUGE)));
    case 1:
      return JSON.stringify(replaceOne(value, chance, () => Array<number>(50_000).fill(1)));
    case 2:
      return '['.repeat(5000) + ']'.repeat(5000);
    default:
      return `{"text":${'1'.repeat(200_000)}}`;
  }
}

/** The same member twice, with another value the second time, or the first. */
function withDuplicate(value: unknown, chance: Chance): string {
  const members: [string, unknown][] = [...Object.entries(value ?? {}), ['text', 'a']];
  const [name, old] = chance.pick(members);
  const other = `${JSON.stringify(name)}:${JSON.stringify(chance.pick(OTHERS))}`;
  const rest = JSON.stringify(value ?? {}).slice(1);
  return chance.below(2) === 0
    ? `{${other}${rest === '}' ? '' : ','}${rest}`
    : `${JSON.stringify(value ?? {}).slice(0, -1)}${rest === '}' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(old)}}`;
}

function brokenOf(text: string, chance: Chance): string | Buffer {
  const at = chance.below(text.length + 1);
  return chance.pick<string | Buffer>([
    text.slice(0, at),
    `${text}}`,
    `${text.slice(0, at)}\u0000${text.slice(at)}`,
    `\uFEFF${text}`,
    '',
    'null',
    '[]',
    '"text"',
    '42',
    '{"a":NaN}',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    text.replaceAll('"', "'"),
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
  ]);
}

/** A part of a path or a query as it is sent: escaped, or escaped wrongly. */
export function hostileParameter(chance: Chance): string {
  const text = chance.pick([
    '%00',
    '%ff',
    '%c3%28',
    '%',
    '%zz',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    'null',
    'undefined',
    '-1',
    '1e9',
    '0x10',
    '99999999999999999999',
    '2147483648',
    '%F0%9F%92%A9',
    '%ED%A0%80',
    '00000000-0000-0000-0000-000000000000',
    "'%20or%201%3D1--",
    'a%0d%0ab',
    '%7B%22%24gt%22%3A1%7D',
    'a,b',
    'x'.repeat(1 + chance.below(3000)),
  ]);
  return text;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Percent-encoded; a lone surrogate, which cannot be encoded, as the bytes that some clients send. */
export function escaped(text: string): string {
  const [first = ''] = text.split(LONE_SURROGATE);
  const hasLone = first.length < text.length;
  return (encodeURIComponent(first) + (hasLone ? '%ED%A0%80' : '')).slice(0, 8000);
}
