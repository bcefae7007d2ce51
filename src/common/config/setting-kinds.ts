import { isTimeZone } from '../time-zone';
import { coverAllAddresses, isAddressRange, isRefusedUrl } from './address-ranges';

/** One setting: its environment variable, and how its text becomes a value. */
export interface Setting<T> {
  readonly variable: string;
  /** One sentence for the documents. */
  readonly doc: string;
  readonly default: T;
  /** The default as one would write it in the environment. */
  readonly defaultText: string;
  /** What is accepted, with its unit: `seconds from 0.1 to 600`. */
  readonly expects: string;
  /** A secret's value is never shown. */
  readonly isSecret: boolean;
  /** Undefined: the text cannot be used. The caller lists all such settings at once. */
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

function setting<T>(
  variable: string,
  doc: string,
  value: {
    readonly default: T;
    readonly expects: string;
    readonly defaultText?: string;
    readonly read: (raw: string) => T | undefined;
  },
): Setting<T> {
  return { variable, doc, defaultText: String(value.default), isSecret: false, ...value };
}

/** Written in seconds, decimals allowed; the value is in milliseconds. */
export function seconds(variable: string, bounds: Bounds, doc: string): Setting<number> {
  const expects = `seconds from ${String(bounds.min)} to ${String(bounds.max)}`;
  const read = (raw: string): number | undefined => {
    const value = numberIn(raw, bounds);
    return value === undefined ? undefined : Math.round(value * 1000);
  };
  return setting(variable, doc, {
    default: bounds.default * 1000,
    expects,
    read,
    defaultText: String(bounds.default),
  });
}

export function millis(variable: string, bounds: Bounds, doc: string): Setting<number> {
  const expects = `milliseconds from ${String(bounds.min)} to ${String(bounds.max)}`;
  return setting(variable, doc, {
    default: bounds.default,
    expects,
    read: (raw) => numberIn(raw, bounds),
  });
}

export function count(
  variable: string,
  bounds: Bounds & { readonly unit?: string },
  doc: string,
): Setting<number> {
  const { min, max, unit } = bounds;
  const number = unit === undefined ? 'a whole number' : `a whole number of ${unit}`;
  const expects = `${number} from ${String(min)} to ${String(max)}`;
  const read = (raw: string): number | undefined => {
    const value = numberIn(raw, bounds);
    return value !== undefined && Number.isInteger(value) ? value : undefined;
  };
  return setting(variable, doc, { default: bounds.default, expects, read });
}

/** Zero means: not known. */
export function money(variable: string, doc: string): Setting<number> {
  const bounds = { default: 0, min: 0, max: 10_000 };
  return setting(variable, doc, {
    default: 0,
    expects: 'US dollars per million tokens, from 0 to 10000',
    read: (raw) => numberIn(raw, bounds),
  });
}

export function text(variable: string, value: string, doc: string): Setting<string> {
  return setting(variable, doc, { default: value, expects: 'a text', read: (raw) => raw });
}

/** Null where the variable is empty. */
export function optionalText(variable: string, doc: string): Setting<string | null> {
  const kind = { default: null, expects: 'a text', defaultText: '', read: (raw: string) => raw };
  return setting<string | null>(variable, doc, kind);
}

/** The user name of a bot, kept without the @; empty where the variable is. */
export function botName(variable: string, doc: string): Setting<string> {
  return { ...text(variable, '', doc), read: (raw) => raw.replace(/^@/, '') };
}

export function secret(variable: string, value: string, doc: string): Setting<string> {
  return { ...text(variable, value, doc), isSecret: true };
}

export function switchOn(variable: string, value: boolean, doc: string): Setting<boolean> {
  const read = (raw: string): boolean | undefined => {
    if (raw === 'true') return true;
    return raw === 'false' ? false : undefined;
  };
  return setting(variable, doc, { default: value, expects: 'true or false', read });
}

export function choice<const T extends string>(
  variable: string,
  values: readonly T[],
  value: T,
  doc: string,
): Setting<T> {
  return setting(variable, doc, {
    default: value,
    expects: `one of ${values.join(', ')}`,
    read: (raw) => values.find((v) => v === raw),
  });
}

/**
 * An http or https address, kept without a trailing slash; empty where the default is. It has no user
 * and password, which logs would show, and is none of a metadata service.
 */
export function url(variable: string, value: string, doc: string): Setting<string> {
  const read = (raw: string): string | undefined => {
    if (!URL.canParse(raw) || isRefusedUrl(new URL(raw))) return undefined;
    return raw.replace(/\/+$/, '');
  };
  const expects = 'an http or https address without a user, not of a metadata service';
  return setting(variable, doc, { default: value, expects, read });
}

/** An address that is a secret itself, because whoever knows it may write there. */
export function secretUrl(variable: string, doc: string): Setting<string> {
  return { ...url(variable, '', doc), isSecret: true };
}

/** The address of a PostgreSQL database, with its password; null where the variable is empty. */
export function postgresUrl(variable: string, doc: string): Setting<string | null> {
  const read = (raw: string): string | undefined =>
    URL.canParse(raw) && POSTGRES.test(new URL(raw).protocol) ? raw : undefined;
  const expects = 'an address like postgres://user:password@host:5432/database';
  const kind = { default: null, expects, defaultText: '', read };
  return { ...setting<string | null>(variable, doc, kind), isSecret: true };
}

const POSTGRES = /^postgres(ql)?:$/;

/** As @BotFather writes it: the bot's id, a colon and its key. */
export function botToken(variable: string, doc: string): Setting<string> {
  const read = (raw: string): string | undefined => (BOT_TOKEN.test(raw) ? raw : undefined);
  return {
    ...setting(variable, doc, { default: '', expects: 'a token like 123456:ABC-DEF', read }),
    isSecret: true,
  };
}

const BOT_TOKEN = /^[1-9]\d{0,15}:[\w-]{3,}$/;

/** One that an operator makes up, and programs show; empty where the default is. */
export function chosenSecret(variable: string, doc: string): Setting<string> {
  const read = (raw: string): string | undefined => (CHOSEN_SECRET.test(raw) ? raw : undefined);
  return {
    ...setting(variable, doc, {
      default: '',
      expects: `32 or more characters without spaces ${HOW}`,
      read,
    }),
    isSecret: true,
  };
}

const CHOSEN_SECRET = /^\S{32,}$/;
const HOW = '(openssl rand -hex 32)';

export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

/** Several of them, each with the name of who holds it. */
export function namedTokens(variable: string, doc: string): Setting<readonly NamedToken[]> {
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
  return {
    ...setting<readonly NamedToken[]>(variable, doc, {
      default: [],
      expects,
      read,
      defaultText: '',
    }),
    isSecret: true,
  };
}

const NAMED_TOKEN = /^(?<name>[\w.@-]{1,40}):(?<token>[^\s,:]{32,})$/;

/** What the Bot API accepts as `secret_token`. */
export function webhookSecret(variable: string, doc: string): Setting<string> {
  const read = (raw: string): string | undefined => (WEBHOOK_SECRET.test(raw) ? raw : undefined);
  return {
    ...setting(variable, doc, {
      default: '',
      expects: `32 to 256 of A-Z a-z 0-9 _ - ${HOW}`,
      read,
    }),
    isSecret: true,
  };
}

const WEBHOOK_SECRET = /^[\w-]{32,256}$/;

/** False: no proxy is trusted; a number: this many are; else addresses and CIDR ranges. */
export type TrustedProxies = false | number | readonly string[];

/**
 * `true` is refused, and so are ranges that contain every address: the server would then use the first
 * address in X-Forwarded-For, which the client itself writes, and no rate limit by address would hold.
 */
export function trustedProxies(variable: string, doc: string): Setting<TrustedProxies> {
  const expects =
    'false, the number of proxies from 1 to 10, or their addresses or CIDR ranges with commas between them (true is refused: a client could choose its own address; so are ranges that together hold all addresses)';
  const read = (raw: string): TrustedProxies | undefined => {
    if (raw === 'false' || raw === '0') return false;
    if (/^\d+$/.test(raw)) return numberIn(raw, { default: 1, min: 1, max: 10 });
    const ranges = raw.split(',').map((range) => range.trim());
    return ranges.every(isAddressRange) && !coverAllAddresses(ranges) ? ranges : undefined;
  };
  return setting<TrustedProxies>(variable, doc, { default: false, expects, read });
}

/** A number with decimals; `unit` is what it counts. */
export function decimal(
  variable: string,
  bounds: Bounds & { readonly unit: string },
  doc: string,
): Setting<number> {
  const expects = `${bounds.unit} from ${String(bounds.min)} to ${String(bounds.max)}`;
  return setting(variable, doc, {
    default: bounds.default,
    expects,
    read: (raw) => numberIn(raw, bounds),
  });
}

/** The name of a property in Notion; null where the board has none, as by the default `-`. */
export function propertyName(variable: string, value: string, doc: string): Setting<string | null> {
  const read = (raw: string): string | null => (raw === '-' ? null : raw);
  return setting<string | null>(variable, doc, {
    default: read(value),
    defaultText: value,
    expects: 'a name, or - where there is none',
    read,
  });
}

/** As the engine's time zone data knows it. */
export function timeZone(variable: string, value: string, doc: string): Setting<string> {
  return setting(variable, doc, {
    default: value,
    expects: 'a time zone like Europe/Berlin',
    read: (raw) => (isTimeZone(raw) ? raw : undefined),
  });
}

/** Two letters; null where the default is. At the start it is checked that its holidays are known. */
export function countryCode(variable: string, doc: string): Setting<string | null> {
  const read = (raw: string): string | undefined => upperCase(raw, COUNTRY);
  return setting<string | null>(variable, doc, {
    default: null,
    expects: 'two letters like DE',
    read,
    defaultText: '',
  });
}

/** A code, or two with a dot between them; null where the default is. */
export function regionCode(variable: string, doc: string): Setting<string | null> {
  const read = (raw: string): string | undefined => upperCase(raw, REGION);
  return setting<string | null>(variable, doc, {
    default: null,
    expects: 'a code like BY or LA.NO',
    read,
    defaultText: '',
  });
}

/** With or without hyphens, kept with them; empty where the default is. */
export function uuid(variable: string, doc: string): Setting<string> {
  const read = (raw: string): string | undefined =>
    UUID.test(raw) ? raw.toLowerCase().replace(UUID, '$1-$2-$3-$4-$5') : undefined;
  return setting(variable, doc, { default: '', expects: 'a UUID', read });
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

function upperCase(raw: string, pattern: RegExp): string | undefined {
  return pattern.test(raw) ? raw.toUpperCase() : undefined;
}

const COUNTRY = /^[A-Z]{2}$/i;
const REGION = /^[\w-]{1,10}(\.[\w-]{1,10})?$/;
