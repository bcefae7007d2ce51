import { isIPv4 } from 'node:net';
import { z } from 'zod';
import {
  BOT_NAME,
  BOT_TOKEN,
  CHOSEN_SECRET,
  NAMED_TOKENS,
  OPTIONAL_TEXT,
  POSTGRES_ADDRESS,
  SECRET_ADDRESS,
  SWITCH,
  TEXT,
  TRUSTED_PROXIES,
  WEBHOOK_SECRET,
  WEB_ADDRESS,
  type NamedToken,
  count,
  oneOf,
  seconds,
  setting,
} from './setting-kinds';
import { BUFFER, CONVERSATION_LIMITS, INTERVIEW, LLM } from './interview-settings';
import {
  NOTION_BOARD,
  NOTION_CALLS,
  NOTION_REVIEW,
  NOTION_SYNC,
  notionContradictions,
} from './notion-settings';
import { OIDC, oidcContradictions, oidcOf } from './oidc-settings';
import { readSettings, settingsIn } from './read-settings';
import type { Environment } from './unknown-settings';

/**
 * Every setting, once: the field that it compiles to, its variable, its kind with unit, default and
 * bounds, and one sentence. docs/configuration.md, .env.example (`npm run config:doc`), the errors of
 * the start and `colloquy start --help` are all made from here. Durations compile to milliseconds.
 */
const TREE = z.object({
  /** The HTTP server, and where candidates reach it. */
  http: z.object({
    host: setting(
      'HOST=127.0.0.1',
      TEXT,
      'Address that the HTTP server listens on; 0.0.0.0 for all, which the image sets. Set it where other machines connect.',
    ),
    port: setting(
      'PORT=3000',
      count(0, 65535),
      'Port of the HTTP server; 0 takes a free one. Change it where another program uses it.',
    ),
    publicUrl: setting(
      'PUBLIC_URL=',
      WEB_ADDRESS,
      'Address under which candidates reach the page; it forms the links. Empty: http://localhost and the port.',
    ),
    trustProxy: setting(
      'TRUST_PROXY=false',
      TRUSTED_PROXIES,
      'Trusted proxies, whose X-Forwarded-For is used: how many there are in front of this server, or their addresses. false: none. Set it when a proxy is put in front.',
    ),
    rateLimitPerMinute: setting(
      'RATE_LIMIT_PER_MINUTE=600',
      count(1, 1000000, 'requests'),
      'Requests of one network (an IPv4 address, or a /64 of IPv6) per minute, without files of pages, the handbook, probes, metrics and webhooks. Raise it where many candidates share one address, as in a school.',
    ),
    managementToken: setting(
      'MANAGEMENT_TOKEN=',
      CHOSEN_SECRET,
      'Shows /metrics, /docs and the details of /health/ready to requests with it as a bearer token or password. Empty: they are open while HOST is a loopback address and TRUST_PROXY is false, else off. The operator sets it before others can reach the server.',
    ),
  }),
  tls: z.object({
    /** Null: none. Node itself reads it at its start. */
    extraCaFile: setting(
      'NODE_EXTRA_CA_CERTS=',
      OPTIONAL_TEXT,
      'File of CA certificates in PEM that Node trusts besides its own, for peers inside a company. Empty: none. Set it where such peers have certificates of their own.',
    ),
  }),
  log: z.object({
    level: setting(
      'LOG_LEVEL=info',
      oneOf('fatal', 'error', 'warn', 'info', 'debug'),
      'Least severe log line that is written. Set debug while you look for an error.',
    ),
  }),
  tracing: z.object({
    endpoint: setting(
      'OTEL_EXPORTER_OTLP_ENDPOINT=',
      WEB_ADDRESS,
      'Where OpenTelemetry spans are sent by OTLP over HTTP; the SDK reads its other OTEL_ variables itself. Empty: none are recorded. Set it where a collector runs.',
    ),
  }),
  database: z.object({
    /** Null: embedded. */
    url: setting(
      'DATABASE_URL=',
      POSTGRES_ADDRESS,
      'PostgreSQL 15 or newer; it gets no example vacancies. Empty: an embedded PostgreSQL is started.',
    ),
    dataDir: setting(
      'COLLOQUY_DATA_DIR=.data',
      TEXT,
      'Folder of the embedded PostgreSQL, and of decision-key.pem, which signs decision files. Set it to keep the data elsewhere.',
    ),
    poolSize: setting(
      'DATABASE_POOL_SIZE=6',
      count(2, 50, 'connections'),
      'Pooled connections of one replica, two of which jobs leave to requests (one, if there are only two); two more serve claims and signals between replicas. Raise it as docs/scaling.md says, when commits wait for a connection.',
    ),
    replicas: setting(
      'DATABASE_REPLICAS=1',
      count(1, 200, 'replicas'),
      'Replicas (with those that a deploy adds) whose connections are checked against max_connections at boot. Set it with the number of replicas.',
    ),
  }),
  jobs: z.object({
    leaseMs: setting(
      'JOB_LEASE=6',
      seconds(0.5, 60),
      'How long a claim is valid without a heartbeat; another replica takes over within this and 2 s, one that has just started within this after its start.',
    ),
    pollMs: setting(
      'JOB_POLL=0.25',
      seconds(0.01, 5),
      'Longest sleep of the job loop. Raise it where idle replicas ask the database too often.',
    ),
    flushConcurrency: setting(
      'JOB_FLUSH_CONCURRENCY=256',
      count(1, 2000, 'answers'),
      'Answers that one replica works on at a time. Lower it to what the model server can do at a time.',
    ),
  }),
  buffer: BUFFER,
  conversationLimits: CONVERSATION_LIMITS,
  interview: INTERVIEW,
  llm: LLM,
  session: z.object({
    idleMs: setting(
      'SESSION_IDLE_TIMEOUT=2592000',
      seconds(600, 31_536_000),
      "A browser that is not used for this long is signed out; its candidate opens the link again. Set it by the company's rules for sessions.",
    ),
    lifetimeMs: setting(
      'SESSION_LIFETIME=15552000',
      seconds(600, 31_536_000),
      "Longest time that a browser stays signed in, however often it is used. Set it by the company's rules for sessions.",
    ),
    userIdleMs: setting(
      'USER_SESSION_IDLE_TIMEOUT=43200',
      seconds(600, 31_536_000),
      "A colleague's browser that is not used for this long is signed out. Set it by the company's rules for sessions.",
    ),
    userLifetimeMs: setting(
      'USER_SESSION_LIFETIME=604800',
      seconds(600, 31_536_000),
      "Longest time that a colleague's browser stays signed in, however often it is used. Set it by the company's rules for sessions.",
    ),
  }),
  shutdown: z.object({
    deadlineMs: setting(
      'SHUTDOWN_DEADLINE=60',
      seconds(0.1, 600),
      'Longest time for a shutdown to finish what was begun.',
    ),
    pending: setting(
      'SHUTDOWN_PENDING=keep',
      oneOf('keep', 'flush'),
      'keep: answers that are still being collected stay in the database for the next start; flush: they get their replies before the exit.',
    ),
  }),
  delivery: z.object({
    timeoutMs: setting(
      'DELIVERY_TIMEOUT=30',
      seconds(0.1, 300),
      'Wait for a channel to accept a part of a reply; after it, it is unknown whether the part arrived, and it is sent once more.',
    ),
  }),
  telegram: z.object({
    /** Empty: the channel is off. */
    token: setting(
      'TELEGRAM_BOT_TOKEN=',
      BOT_TOKEN,
      'Token of the Telegram bot, from @BotFather. Empty: the channel is off.',
    ),
    apiRoot: setting(
      'TELEGRAM_API_ROOT=https://api.telegram.org',
      WEB_ADDRESS,
      'Address of the Bot API.',
    ),
    mode: setting(
      'TELEGRAM_MODE=polling',
      oneOf('polling', 'webhook'),
      'How updates come in; webhook needs PUBLIC_URL with https, and TELEGRAM_WEBHOOK_SECRET.',
    ),
    webhookSecret: setting(
      'TELEGRAM_WEBHOOK_SECRET=',
      WEBHOOK_SECRET,
      'Secret that Telegram sends with each webhook call.',
    ),
    timeoutMs: setting(
      'TELEGRAM_TIMEOUT=10',
      seconds(0.1, 120),
      'Wait for the Bot API except for deliveries: replies to commands, files, set-up. Raise it where the way to Telegram is slow.',
    ),
    /** Without the @; empty: there is no link to the bot. */
    botName: setting(
      'TELEGRAM_BOT_NAME=',
      BOT_NAME,
      'Name of the Telegram bot, without @; it forms the Telegram links of invitations. Set it where the command runs without the bot; a running one finds its name.',
    ),
  }),
  notion: NOTION_CALLS,
  notionSync: NOTION_SYNC,
  notionBoard: NOTION_BOARD,
  notionReview: NOTION_REVIEW,
  admin: z.object({
    /** The token without a name; it joins the others in `tokens`. */
    unnamedToken: setting(
      'ADMIN_TOKEN=',
      CHOSEN_SECRET,
      'Bearer token of the admin API, with every scope. Without it and ADMIN_TOKENS the admin API takes only API keys (docs/api.md), except at a terminal on the embedded database, which makes one, shows it and keeps it.',
    ),
    namedTokens: setting(
      'ADMIN_TOKENS=',
      NAMED_TOKENS,
      'Bearer tokens of the admin API by name: the audit records under that name what each reads and erases. The operator gives one to each person or program.',
    ),
    keyRateLimitPerMinute: setting(
      'RATE_LIMIT_OF_KEY_PER_MINUTE=600',
      count(1, 1000000, 'requests'),
      'Requests with one API key, or with one admin token, per minute at each replica; RATE_LIMIT_PER_MINUTE holds beside it. Lower it where programs disturb candidates.',
    ),
    auditRetentionDays: setting(
      'AUDIT_RETENTION_DAYS=400',
      count(1, 36500, 'days'),
      "Days for which the audit of who read or erased an interview is stored. Set it by the company's rules for audits.",
    ),
    alertWebhookUrl: setting(
      'ALERT_WEBHOOK_URL=',
      SECRET_ADDRESS,
      'Receives one POST for each new item that needs a person. Empty: none.',
    ),
  }),
  oidc: OIDC,
  /** What a vacancy's open link takes; anybody may open it any number of times. */
  openLinks: z.object({
    burstInterviews: setting(
      'OPEN_LINK_INTERVIEWS_PER_10_MINUTES=300',
      count(1, 1000000, 'interviews'),
      'New interviews of one open link in ten minutes; after that the page asks to come back later. A full lecture hall is below it. Personal invitations have no such limit. Raise it before an event with more people.',
    ),
    dayInterviews: setting(
      'OPEN_LINK_INTERVIEWS_PER_DAY=2000',
      count(1, 1000000, 'interviews'),
      'The same in 24 hours. Raise it for a large campaign.',
    ),
    burstUploadMb: setting(
      'OPEN_LINK_UPLOAD_MB_PER_10_MINUTES=200',
      count(1, 1000000, 'MB'),
      'Files and recordings that the interviews of one open link store in ten minutes; after that they take text only. Raise it before an event with more people.',
    ),
    dayUploadMb: setting(
      'OPEN_LINK_UPLOAD_MB_PER_DAY=4096',
      count(1, 100000000, 'MB'),
      'The same in 24 hours. Raise it for a large campaign.',
    ),
    diskReserveMb: setting(
      'DISK_RESERVE_MB=512',
      count(0, 10000000, 'MB'),
      "Free space on the disk of the embedded database below which no open link begins an interview and no file or recording is stored. 0: not checked. The disk of another PostgreSQL is its operator's. Lower it on a small disk.",
    ),
  }),
  scoring: z.object({
    isOn: setting(
      'SCORING=false',
      SWITCH,
      'true: the model rates the answers of a finished interview by the rubrics, each criterion three times. Nothing of it is shown before a rubric is certified; docs/scoring.md. The company sets it after reading that page.',
    ),
    requestsAtOnce: setting(
      'SCORING_REQUESTS_AT_ONCE=4',
      count(1, 32, 'requests'),
      'Requests of one scoring that run side by side; two scorings run at a time in a process. Lower it for a model server of your own that takes one request at a time, raise it for one without a rate limit.',
    ),
    additionsMs: setting(
      'SCORING_ADDITIONS_QUIET_TIME=300',
      seconds(0.1, 86_400),
      'Quiet time after an addition to a finished interview before what changed is rated again; each further addition starts it anew, six times at most. Raise it where candidates go on writing for hours.',
    ),
    maxRuns: setting(
      'SCORING_MAX_RUNS=10',
      count(1, 10_000, 'runs'),
      'Scorings of one interview; after that its additions wait, and a person is told. Lower it when somebody makes scorings by writing on and on.',
    ),
    tokensPerDay: setting(
      'SCORING_TOKENS_PER_DAY=50000000',
      count(0, 1_000_000_000_000, 'tokens'),
      'Tokens that scorings may use in 24 hours: 50 million are about 3,000 interviews like the examples. After that scorings wait, and a person is told. 0: no limit. Set it by what you are ready to spend.',
    ),
  }),
  retention: z.object({
    preset: setting(
      'RETENTION_PRESET=none',
      oneOf(
        'none',
        'us-29cfr1602',
        'us-41cfr60',
        'us-ca-2ccr11013',
        'us-co-sb26-189',
        'fr-cnil',
        'de-agg',
        'ru-152fz',
      ),
      'How long interviews are kept, by the text that the preset is named after; docs/retention.md says which. none: until erased. The company sets it by its law.',
    ),
    transcriptDays: setting(
      'RETENTION_TRANSCRIPT_DAYS=0',
      count(0, 36500, 'days'),
      'Days after the last message for which a candidate and their interviews are kept. 0: as the preset says. The company sets it by its own rules.',
    ),
    mediaDays: setting(
      'RETENTION_MEDIA_DAYS=0',
      count(0, 36500, 'days'),
      'Days for which recordings and files are kept; their lines stay in the transcript. 0: as the preset says. The company sets it by its own rules.',
    ),
    scoresDays: setting(
      'RETENTION_SCORES_DAYS=0',
      count(0, 36500, 'days'),
      "Days for which scorings with their samples and people's ratings are kept. 0: as the preset says. The company sets it by its own rules.",
    ),
    decisionsDays: setting(
      'RETENTION_DECISIONS_DAYS=0',
      count(0, 36500, 'days'),
      'Days for which recorded decisions are kept; the chain of decision files stays. 0: as the preset says. The company sets it by its own rules.',
    ),
    notStartedDays: setting(
      'RETENTION_NOT_STARTED_DAYS=30',
      count(1, 30, 'days'),
      'Days for which those are kept who never agreed to an interview and have no open invitation. The company lowers it by its own rules.',
    ),
  }),
});

type Read = z.output<typeof TREE>;

/** All settings in the order of the documents. */
export const SETTINGS = settingsIn(TREE);

/** What depends on more than one setting. */
function withDerived(read: Read) {
  const { http, llm, admin, scoring } = read;
  const hasServer = llm.apiKey !== '';
  const unnamed: NamedToken = { name: 'ADMIN_TOKEN', token: admin.unnamedToken };
  return {
    ...read,
    http: {
      ...http,
      /** Only this machine reaches the server: a loopback address, and no proxy in front of it. */
      isLocal: isLoopback(http.host) && http.trustProxy === false,
    },
    llm: {
      ...llm,
      /** Both null without a server to ask. */
      embeddingModel: hasServer ? llm.embeddingModel : null,
      transcriptionModel: hasServer ? llm.transcriptionModel : null,
      /** The second server and its model; null: none. */
      fallback:
        llm.fallbackApiKey === ''
          ? null
          : {
              baseUrl: llm.fallbackBaseUrl,
              apiKey: llm.fallbackApiKey,
              model: llm.fallbackModel,
            },
    },
    /** Off without a server to ask. */
    scoring: { ...scoring, isOn: scoring.isOn && hasServer },
    /** Null: colleagues do not sign in by a provider. */
    oidc: oidcOf(read),
    admin: {
      ...admin,
      /** Empty: the admin API takes only API keys. */
      tokens: [...(admin.unnamedToken === '' ? [] : [unnamed]), ...admin.namedTokens],
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

type Groups = ReturnType<typeof withDerived>;

/** A class, because Nest injects settings by it; its fields are the groups. */
// oxlint-disable-next-line typescript/no-extraneous-class
const Fields = class {
  constructor(groups: Groups) {
    Object.assign(this, groups);
    freeze(this);
  }
} as new (groups: Groups) => Groups;

function freeze(value: object): void {
  for (const inner of Object.values(Object.freeze(value))) {
    if (typeof inner === 'object' && inner !== null) freeze(inner as object);
  }
}

/** What the application runs with: read once at the start from the environment, frozen, complete. */
export class Settings extends Fields {
  /** Throws InvalidSettingsError, which lists every bad setting, and every name that is none. */
  static fromEnvironment(env: Environment): Settings {
    return new Settings(withDerived(readSettings(TREE, env, contradictions)));
  }
}

/** What is wrong with settings that are each valid alone. */
function contradictions(values: Read): string[] {
  return [
    ...fallbackContradictions(values),
    ...webhookContradictions(values),
    ...notionContradictions(values),
    ...oidcContradictions(values),
  ];
}

function fallbackContradictions({ llm }: Read): string[] {
  const parts = [
    ['OPENAI_FALLBACK_BASE_URL', llm.fallbackBaseUrl],
    ['OPENAI_FALLBACK_API_KEY', llm.fallbackApiKey],
    ['OPENAI_FALLBACK_MODEL', llm.fallbackModel],
  ] as const;
  const missing = parts.filter(([, value]) => value === '').map(([variable]) => variable);
  if (missing.length === parts.length) return [];
  if (missing.length > 0) {
    return missing.map((variable) => `${variable}: expected too, or none of OPENAI_FALLBACK_…`);
  }
  if (llm.apiKey !== '') return [];
  return ['OPENAI_FALLBACK_MODEL: expected OPENAI_API_KEY too, because there is no first model'];
}

function webhookContradictions({ telegram, http }: Read): string[] {
  if (telegram.token === '' || telegram.mode === 'polling') return [];
  const problems: string[] = [];
  if (!http.publicUrl.startsWith('http')) {
    problems.push('TELEGRAM_MODE=webhook: expected PUBLIC_URL, where Telegram reaches this server');
  }
  if (telegram.webhookSecret === '') {
    problems.push('TELEGRAM_MODE=webhook: expected TELEGRAM_WEBHOOK_SECRET');
  }
  return problems;
}
