import { coverAllAddresses, isAddressRange } from './address-ranges';

/**
 * The kinds of settings. `read` answers the value, or the words for what was expected: the caller
 * lists all bad settings at once.
 */
export interface Kind<T> {
  readonly doc: string;
  readonly default: T;
  /** The default as one would write it in the environment. */
  readonly defaultText: string;
  /** What is accepted, e.g. `seconds from 0.1 to 600`. */
  readonly expects: string;
  /** A secret's value is never shown. */
  readonly isSecret: boolean;
  read(raw: string): T | undefined;
}

interface Bounds {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function numberIn(raw: string, bounds: Bounds): number | undefined {
  if (!NUMBER.test(raw)) return undefined;
  const value = Number(raw);
  return value >= bounds.min && value <= bounds.max ? value : undefined;
}

function kind<T>(
  doc: string,
  value: T,
  expects: string,
  read: (raw: string) => T | undefined,
  defaultText = String(value),
): Kind<T> {
  return { doc, default: value, defaultText, expects, isSecret: false, read };
}

/** Written in seconds, decimals allowed; the value is in milliseconds. */
export function seconds(bounds: Bounds, doc: string): Kind<number> {
  const expects = `seconds from ${String(bounds.min)} to ${String(bounds.max)}`;
  const read = (raw: string): number | undefined => {
    const value = numberIn(raw, bounds);
    return value === undefined ? undefined : Math.round(value * 1000);
  };
  return kind(doc, bounds.default * 1000, expects, read, String(bounds.default));
}

export function millis(bounds: Bounds, doc: string): Kind<number> {
  const expects = `milliseconds from ${String(bounds.min)} to ${String(bounds.max)}`;
  return kind(doc, bounds.default, expects, (raw) => numberIn(raw, bounds));
}

export function count(bounds: Bounds, doc: string): Kind<number> {
  const expects = `a whole number from ${String(bounds.min)} to ${String(bounds.max)}`;
  const read = (raw: string): number | undefined => {
    const value = numberIn(raw, bounds);
    return value !== undefined && Number.isInteger(value) ? value : undefined;
  };
  return kind(doc, bounds.default, expects, read);
}

/** Zero means: not known. */
export function money(doc: string): Kind<number> {
  const bounds = { default: 0, min: 0, max: 10_000 };
  return kind(doc, 0, 'US dollars from 0 to 10000', (raw) => numberIn(raw, bounds));
}

export function text(value: string, doc: string): Kind<string> {
  return kind(doc, value, 'a text', (raw) => raw);
}

export function secret(value: string, doc: string): Kind<string> {
  return { ...text(value, doc), isSecret: true };
}

export function switchOn(value: boolean, doc: string): Kind<boolean> {
  const read = (raw: string): boolean | undefined => {
    if (raw === 'true') return true;
    return raw === 'false' ? false : undefined;
  };
  return kind(doc, value, 'true or false', read);
}

export function choice<const T extends string>(
  values: readonly T[],
  value: T,
  doc: string,
): Kind<T> {
  return kind(doc, value, `one of ${values.join(', ')}`, (raw) => values.find((v) => v === raw));
}

/** An http or https address, kept without a trailing slash; empty where the default is. */
export function url(value: string, doc: string): Kind<string> {
  const read = (raw: string): string | undefined => {
    const parsed = URL.canParse(raw) ? new URL(raw) : undefined;
    const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
    return isHttp ? raw.replace(/\/+$/, '') : undefined;
  };
  return kind(doc, value, 'an http or https address', read);
}

/** The address of a PostgreSQL database, with its password; empty where the default is. */
export function postgresUrl(doc: string): Kind<string> {
  const read = (raw: string): string | undefined =>
    URL.canParse(raw) && POSTGRES.test(new URL(raw).protocol) ? raw : undefined;
  const expects = 'an address like postgres://user:password@host:5432/database';
  return { ...kind(doc, '', expects, read), isSecret: true };
}

const POSTGRES = /^postgres(ql)?:$/;

/** As @BotFather writes it: the bot's id, a colon and its key. */
export function botToken(doc: string): Kind<string> {
  const read = (raw: string): string | undefined => (BOT_TOKEN.test(raw) ? raw : undefined);
  return { ...kind(doc, '', 'a token like 123456:ABC-DEF', read), isSecret: true };
}

const BOT_TOKEN = /^[1-9]\d{0,15}:[\w-]{3,}$/;

/** One that an operator makes up, and programs show; empty where the default is. */
export function chosenSecret(doc: string): Kind<string> {
  const read = (raw: string): string | undefined => (CHOSEN_SECRET.test(raw) ? raw : undefined);
  return { ...kind(doc, '', `32 or more characters without spaces ${HOW}`, read), isSecret: true };
}

const CHOSEN_SECRET = /^\S{32,}$/;
const HOW = '(openssl rand -hex 32)';

export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/** Several of them, each with the name of who holds it. */
export function namedTokens(doc: string): Kind<readonly NamedToken[]> {
  const read = (raw: string): readonly NamedToken[] | undefined => {
    const tokens = raw.split(',').map((pair) => NAMED_TOKEN.exec(pair.trim())?.groups);
    const read = tokens.map((groups) => ({
      name: groups?.['name'] ?? '',
      token: groups?.['token'] ?? '',
    }));
    const isEachOnce = (values: readonly string[]): boolean => new Set(values).size === read.length;
    const isGood =
      read.every(({ name }) => name !== '') &&
      isEachOnce(read.map(({ name }) => name)) &&
      isEachOnce(read.map(({ token }) => token));
    return isGood ? read : undefined;
  };
  const expects = `name:token,name:token with tokens of 32 or more characters ${HOW}`;
  return { ...kind<readonly NamedToken[]>(doc, [], expects, read, ''), isSecret: true };
}

const NAMED_TOKEN = /^(?<name>[\w.@-]{1,40}):(?<token>[^\s,:]{32,})$/;

/** What the Bot API accepts as `secret_token`. */
export function webhookSecret(doc: string): Kind<string> {
  const read = (raw: string): string | undefined => (WEBHOOK_SECRET.test(raw) ? raw : undefined);
  return { ...kind(doc, '', `32 to 256 of A-Z a-z 0-9 _ - ${HOW}`, read), isSecret: true };
}

const WEBHOOK_SECRET = /^[\w-]{32,256}$/;

/** False: no proxy is trusted; a number: so many; else addresses and CIDR ranges. */
export type TrustedProxies = false | number | readonly string[];

/**
 * `true` is refused, and so are ranges that trust everybody: it would believe the first address in X-Forwarded-For, which the client itself
 * writes, and with it the rate limit of every address.
 */
export function trustedProxies(doc: string): Kind<TrustedProxies> {
  const expects =
    'false, the number of proxies from 1 to 10, or their addresses or CIDR ranges with commas between them (true is refused: a client could choose its own address; so are ranges that together hold all addresses)';
  const read = (raw: string): TrustedProxies | undefined => {
    if (raw === 'false' || raw === '0') return false;
    if (/^\d+$/.test(raw)) return numberIn(raw, { default: 1, min: 1, max: 10 });
    const ranges = raw.split(',').map((range) => range.trim());
    return ranges.every(isAddressRange) && !coverAllAddresses(ranges) ? ranges : undefined;
  };
  return kind<TrustedProxies>(doc, false, expects, read);
}

/** A number with decimals; `unit` is what it counts. */
export function decimal(bounds: Bounds & { readonly unit: string }, doc: string): Kind<number> {
  const expects = `${bounds.unit} from ${String(bounds.min)} to ${String(bounds.max)}`;
  return kind(doc, bounds.default, expects, (raw) => numberIn(raw, bounds));
}

/** The name of a property in Notion; null where the board has none. */
export function propertyName(value: string, doc: string): Kind<string | null> {
  const read = (raw: string): string | null => (raw === '-' ? null : raw);
  return kind<string | null>(doc, value, 'a name, or - where there is none', read);
}

/** As the engine's time zone data knows it. */
export function timeZone(value: string, doc: string): Kind<string> {
  const read = (raw: string): string | undefined => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: raw }).resolvedOptions().timeZone;
    } catch {
      return undefined;
    }
  };
  return kind(doc, value, 'a time zone like Europe/Berlin', read);
}

/** Two letters; null where the default is. Whether its holidays are known is told at the start. */
export function countryCode(doc: string): Kind<string | null> {
  const read = (raw: string): string | undefined => upperCase(raw, COUNTRY);
  return kind<string | null>(doc, null, 'two letters like DE', read, '');
}

/** A code, or two with a dot between them; null where the default is. */
export function regionCode(doc: string): Kind<string | null> {
  const read = (raw: string): string | undefined => upperCase(raw, REGION);
  return kind<string | null>(doc, null, 'a code like BY or LA.NO', read, '');
}

/** With or without hyphens, kept with them; empty where the default is. */
export function uuid(doc: string): Kind<string> {
  const read = (raw: string): string | undefined =>
    UUID.test(raw) ? raw.toLowerCase().replace(UUID, '$1-$2-$3-$4-$5') : undefined;
  return kind(doc, '', 'a UUID', read);
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

function upperCase(raw: string, pattern: RegExp): string | undefined {
  return pattern.test(raw) ? raw.toUpperCase() : undefined;
}

const COUNTRY = /^[A-Z]{2}$/i;
const REGION = /^[\w-]{1,10}(\.[\w-]{1,10})?$/;
