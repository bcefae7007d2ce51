import { z } from 'zod';
import { isTimeZone } from '../time-zone';
import { coverAllAddresses, isAddressRange, isRefusedUrl } from './address-ranges';

/** What a variable may hold: how its text becomes a value, and what is accepted, with its unit. */
export interface Kind<V> {
  readonly reads: z.ZodType<V, string>;
  /** `seconds from 0.1 to 600`. */
  readonly expects: string;
  /** The value of an empty variable without a default; undefined: an empty text has to be read too. */
  readonly empty?: V;
  /** A secret's value is never shown, and a file may have it. */
  readonly isSecret?: true;
}

/** A setting as the documents and the errors name it. */
export interface About {
  /** Its environment variable. */
  readonly variable: string;
  readonly expects: string;
  /** As one would write it in the environment. */
  readonly defaultText: string;
  /** One sentence for the documents. */
  readonly doc: string;
  readonly isSecret: boolean;
}

/** `DATABASE_URL_FILE` names the file that has the value of the secret `DATABASE_URL`. */
export const FILE_SUFFIX = '_FILE';

/** Every declared setting with what is told about it. */
export const ABOUT = z.registry<About>();

/**
 * Declares one setting: its variable and default as one writes them in the environment, `PORT=3000`. The
 * default is read like any other text.
 */
export function setting<V>(withDefault: `${string}=${string}`, kind: Kind<V>, doc: string) {
  const [variable = '', defaultText = ''] = withDefault.split(/=(.*)/s);
  const { empty, expects, isSecret = false, reads } = kind;
  const read =
    empty === undefined
      ? reads
      : z
          .literal('')
          .transform(() => empty)
          .or(reads);
  return z
    .string()
    .transform((text) => (text === '' ? defaultText : text))
    .pipe(read)
    .register(ABOUT, { variable, expects, defaultText, doc, isSecret });
}

const asNumber = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .transform(Number);

/** A number with decimals; `unit` is what it counts. */
export function decimal(min: number, max: number, unit: string): Kind<number> {
  const expects = `${unit} from ${String(min)} to ${String(max)}`;
  return { expects, reads: asNumber.pipe(z.number().min(min).max(max)) };
}

/** Written in seconds, decimals allowed; the value is in milliseconds. */
export function seconds(min: number, max: number): Kind<number> {
  const { expects, reads } = decimal(min, max, 'seconds');
  return { expects, reads: reads.transform((value) => Math.round(value * 1000)) };
}

export function millis(min: number, max: number): Kind<number> {
  return decimal(min, max, 'milliseconds');
}

export function count(min: number, max: number, unit?: string): Kind<number> {
  const number = unit === undefined ? 'a whole number' : `a whole number of ${unit}`;
  const { expects, reads } = decimal(min, max, number);
  return { expects, reads: reads.pipe(z.int()) };
}

/** Zero means: not known. */
export const MONEY: Kind<number> = {
  ...decimal(0, 10_000, ''),
  expects: 'US dollars per million tokens, from 0 to 10000',
};

export const TEXT: Kind<string> = { expects: 'a text', reads: z.string() };

/** Null where the variable is empty. */
export const OPTIONAL_TEXT: Kind<string | null> = {
  expects: 'a text',
  reads: z.string(),
  empty: null,
};

/** The user name of a bot, kept without the @. */
export const BOT_NAME: Kind<string> = {
  expects: 'a text',
  reads: z.string().transform((name) => name.replace(/^@/, '')),
};

/** One that a peer issues, in whatever form. */
export const SECRET: Kind<string> = { ...TEXT, isSecret: true };

export const SWITCH: Kind<boolean> = {
  expects: 'true or false',
  reads: z.enum(['true', 'false']).transform((text) => text === 'true'),
};

export function oneOf<const T extends string>(...values: readonly [T, ...T[]]): Kind<T> {
  return { expects: `one of ${values.join(', ')}`, reads: z.enum(values) };
}

/**
 * An http or https address, kept without a trailing slash. It has no user and password, which logs would
 * show, and is none of a metadata service.
 */
export const WEB_ADDRESS: Kind<string> = {
  expects: 'an http or https address without a user, not of a metadata service',
  reads: z
    .string()
    .refine((text) => URL.canParse(text) && !isRefusedUrl(new URL(text)))
    .transform((text) => text.replace(/\/+$/, '')),
  empty: '',
};

/**
 * The issuer of an OpenID Connect provider, kept as it is written: tokens and the provider's own description are
 * compared with it, so a slash at its end counts. Null where the variable is empty.
 */
export const ISSUER: Kind<string | null> = {
  expects:
    'the issuer exactly as the provider states it, with the slash at its end if it has one there: an https address (http on this machine only), not the one below /.well-known/, without query and user',
  reads: z.string().refine(isIssuer),
  empty: null,
};

const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const url = new URL(text);
  const isPrivate = url.protocol === 'https:' || THIS_MACHINE.test(url.hostname);
  return isPrivate && !isRefusedUrl(url) && !url.pathname.includes('/.well-known');
}

/** An address that is a secret itself, because whoever knows it may write there. */
export const SECRET_ADDRESS: Kind<string> = { ...WEB_ADDRESS, isSecret: true };

/** The address of a PostgreSQL database, with its password; null where the variable is empty. */
export const POSTGRES_ADDRESS: Kind<string | null> = {
  expects: 'an address like postgres://user:password@host:5432/database',
  reads: z
    .string()
    .refine((text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)),
  empty: null,
  isSecret: true,
};

/** As @BotFather writes it: the bot's id, a colon and its key. */
export const BOT_TOKEN: Kind<string> = {
  ...pattern(/^[1-9]\d{0,15}:[\w-]{3,}$/, 'a token like 123456:ABC-DEF'),
  isSecret: true,
};

const HOW = '(openssl rand -hex 32)';

/** One that an operator makes up, and programs show. */
export const CHOSEN_SECRET: Kind<string> = {
  ...pattern(/^\S{32,}$/, `32 or more characters without spaces ${HOW}`),
  isSecret: true,
};

/** What the Bot API accepts as `secret_token`. */
export const WEBHOOK_SECRET: Kind<string> = {
  ...pattern(/^[\w-]{32,256}$/, `32 to 256 of A-Z a-z 0-9 _ - ${HOW}`),
  isSecret: true,
};

/** A text of this form; empty where the variable is. */
function pattern(form: RegExp, expects: string): Kind<string> {
  return { expects, reads: z.string().regex(form), empty: '' };
}

export interface NamedToken {
  readonly name: string;
  readonly token: string;
}

const NAMED_TOKEN = /^(?<name>[\w.@-]{1,40}):(?<token>[^\s,:]{32,})$/;

function isEachOnce(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Several of them, each with the name of who holds it; each name and each token once. */
export const NAMED_TOKENS: Kind<readonly NamedToken[]> = {
  expects: `name:token,name:token with tokens of 32 or more characters ${HOW}`,
  reads: z
    .string()
    .transform((text) => text.split(',').map((pair) => NAMED_TOKEN.exec(pair.trim())?.groups))
    .pipe(z.array(z.object({ name: z.string(), token: z.string() })))
    .refine((tokens) => isEachOnce(tokens.map(({ name }) => name)))
    .refine((tokens) => isEachOnce(tokens.map(({ token }) => token))),
  empty: [],
  isSecret: true,
};

/** What a value of a claim makes of a colleague. */
export interface ClaimedRole<R extends string> {
  readonly value: string;
  readonly role: R;
}

/** Values of a claim with one of these roles each; a value may contain `=`, and no comma. */
export function claimedRoles<const R extends string>(
  ...roles: readonly [R, ...R[]]
): Kind<readonly ClaimedRole<R>[]> {
  const role = z.enum(roles);
  return {
    expects: `value=role,value=role with the roles ${roles.join(', ')}; each value once`,
    reads: z
      .string()
      .transform((text) => text.split(',').map((pair) => CLAIMED_ROLE.exec(pair.trim())?.groups))
      .pipe(z.array(z.object({ value: z.string(), role })))
      .refine((pairs) => isEachOnce(pairs.map(({ value }) => value))),
    empty: [],
  };
}

const CLAIMED_ROLE = /^(?<value>.*\S)\s*=\s*(?<role>\w+)$/;

/** Names of scopes of OAuth, with `openid` among them, without which there is no ID token. */
export const SIGN_IN_SCOPE: Kind<string> = {
  expects: 'scopes with spaces between them, openid among them',
  reads: z.string().refine((text) => text.split(/\s+/).includes('openid')),
};

/** False: no proxy is trusted; a number: this many are; else addresses and CIDR ranges. */
export type TrustedProxies = false | number | readonly string[];

/**
 * `true` is refused, and so are ranges that contain every address: the server would then use the first
 * address in X-Forwarded-For, which the client itself writes, and no rate limit by address would hold.
 */
export const TRUSTED_PROXIES: Kind<TrustedProxies> = {
  expects:
    'false, the number of proxies from 1 to 10, or their addresses or CIDR ranges with commas between them (true is refused: a client could choose its own address; so are ranges that together hold all addresses)',
  reads: z.union([
    z.enum(['false', '0']).transform(() => false as const),
    z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(1).max(10)),
    z
      .string()
      .transform((text) => text.split(',').map((range) => range.trim()))
      .refine((ranges) => ranges.every(isAddressRange) && !coverAllAddresses(ranges)),
  ]),
};

/** The name of a property in Notion; null where the board has none, as `-` says. */
export const PROPERTY_NAME: Kind<string | null> = {
  expects: 'a name, or - where there is none',
  reads: z.string().transform((name) => (name === '-' ? null : name)),
};

/** As the engine's time zone data knows it. */
export const TIME_ZONE: Kind<string> = {
  expects: 'a time zone like Europe/Berlin',
  reads: z.string().refine(isTimeZone),
};

/** Two letters; null where the variable is empty. At the start it is checked that its holidays are known. */
export const COUNTRY_CODE = upperCase(/^[A-Z]{2}$/i, 'two letters like DE');

/** A code, or two with a dot between them; null where the variable is empty. */
export const REGION_CODE = upperCase(/^[\w-]{1,10}(\.[\w-]{1,10})?$/, 'a code like BY or LA.NO');

function upperCase(form: RegExp, expects: string): Kind<string | null> {
  return { expects, reads: z.string().regex(form).toUpperCase(), empty: null };
}

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** With or without hyphens, kept with them. */
export const HYPHENATED_UUID: Kind<string> = {
  expects: 'a UUID',
  reads: z
    .string()
    .regex(UUID)
    .transform((text) => text.toLowerCase().replace(UUID, '$1-$2-$3-$4-$5')),
  empty: '',
};
