import { isIPv4 } from 'node:net';
import {
  botName,
  botToken,
  choice,
  chosenSecret,
  count,
  millis,
  namedTokens,
  optionalText,
  postgresUrl,
  seconds,
  switchOn,
  text,
  trustedProxies,
  url,
  webhookSecret,
  type NamedToken,
  secretUrl,
} from './setting-kinds';
import { BUFFER, CONVERSATION_LIMITS, INTERVIEW, KNOWLEDGE, LLM } from './interview-settings';
import {
  NOTION_BOARD,
  NOTION_CALLS,
  NOTION_REVIEW,
  NOTION_SYNC,
  notionContradictions,
} from './notion-settings';
import { type Values, readSettings, settingsIn } from './read-settings';

/**
 * Every setting, once: the field that it compiles to, its variable, its kind with unit, default and
 * bounds, and one sentence. docs/configuration.md, .env.example (`npm run config:doc`), the errors of
 * the start and `colloquy start --help` are all made from here. Durations compile to milliseconds.
 */
const TREE = {
  /** The HTTP server, and where candidates reach it. */
  http: {
    host: text(
      'HOST',
      '127.0.0.1',
      'Address that the HTTP server listens on; 0.0.0.0 for all, which the image sets.',
    ),
    port: count(
      'PORT',
      { default: 3000, min: 0, max: 65535 },
      'Port of the HTTP server; 0 takes a free one.',
    ),
    publicUrl: url(
      'PUBLIC_URL',
      '',
      'Address under which candidates reach the page; it forms the links. Empty: http://localhost and the port.',
    ),
    trustProxy: trustedProxies(
      'TRUST_PROXY',
      'Trusted proxies, whose X-Forwarded-For is used: how many there are in front of this server, or their addresses. false: none.',
    ),
    rateLimitPerMinute: count(
      'RATE_LIMIT_PER_MINUTE',
      { default: 600, min: 1, max: 1000000, unit: 'requests' },
      'Requests of one network (an IPv4 address, or a /64 of IPv6) per minute, without files of pages, the handbook, probes, metrics and webhooks.',
    ),
    responseTimeoutMs: seconds(
      'RESPONSE_TIMEOUT',
      { default: 30, min: 0.1, max: 600 },
      'Time for a client to take a response, and a second more for each 16 KB of it; after that it is cut off. Event streams have SSE_SLOW_READER_TIMEOUT.',
    ),
    managementToken: chosenSecret(
      'MANAGEMENT_TOKEN',
      'Shows /metrics, /docs and the details of /health/ready to requests with it as a bearer token or password. Empty: they are open while HOST is a loopback address and TRUST_PROXY is false, else off.',
    ),
    metricsMaxAgeMs: seconds(
      'METRICS_MAX_AGE',
      { default: 1, min: 0, max: 60 },
      'Scrapes of /metrics within this time get the same figures.',
    ),
    requestTimeoutMs: seconds(
      'REQUEST_TIMEOUT',
      { default: 600, min: 0.1, max: 3600 },
      'Longest time for a request to arrive, its body included; after it the connection is closed. A file of 20 MB takes that long over a slow connection.',
    ),
    uploadMinBytesPerSecond: count(
      'UPLOAD_MIN_RATE',
      { default: 4096, min: 1, max: 1000000, unit: 'bytes a second' },
      'Lowest rate at which a body may arrive, in bytes a second over any five seconds.',
    ),
  },
  tls: {
    /** Null: none. Node itself reads it at its start. */
    extraCaFile: optionalText(
      'NODE_EXTRA_CA_CERTS',
      'File of CA certificates in PEM that Node trusts besides its own, for peers inside a company. Empty: none.',
    ),
  },
  log: {
    level: choice(
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug'],
      'info',
      'Least severe log line that is written.',
    ),
    isPretty: switchOn('LOG_PRETTY', false, 'Log lines for people instead of JSON.'),
  },
  tracing: {
    endpoint: url(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      '',
      'Where OpenTelemetry spans are sent by OTLP over HTTP; the SDK reads its other OTEL_ variables itself. Empty: none are recorded.',
    ),
  },
  database: {
    /** Null: embedded. */
    url: postgresUrl(
      'DATABASE_URL',
      'PostgreSQL 15 or newer; it gets no example vacancies. Empty: an embedded PostgreSQL is started.',
    ),
    dataDir: text('COLLOQUY_DATA_DIR', '.data', 'Folder of the embedded PostgreSQL.'),
    poolSize: count(
      'DATABASE_POOL_SIZE',
      { default: 6, min: 2, max: 50, unit: 'connections' },
      'Pooled connections of one replica, two of which jobs leave to requests (one, if there are only two); two more serve claims and signals between replicas.',
    ),
    replicas: count(
      'DATABASE_REPLICAS',
      { default: 1, min: 1, max: 200, unit: 'replicas' },
      'Replicas (with those that a deploy adds) whose connections are checked against max_connections at boot.',
    ),
  },
  jobs: {
    leaseMs: seconds(
      'TASK_LEASE',
      { default: 6, min: 0.5, max: 60 },
      'How long a claim is valid without a heartbeat; another replica takes over within this and 2 s, one that has just started within this after its start.',
    ),
    pollMs: seconds(
      'TASK_POLL',
      { default: 0.25, min: 0.01, max: 5 },
      'Longest sleep of the job loop.',
    ),
    attentionAfterMs: seconds(
      'TASK_ATTENTION_AFTER',
      { default: 900, min: 1, max: 86400 },
      'How long a job may wait, because a peer fails, before it is in the attention list; it is still retried.',
    ),
    flushConcurrency: count(
      'TASK_FLUSH_CONCURRENCY',
      { default: 256, min: 1, max: 2000, unit: 'answers' },
      'Answers that one replica works on at a time.',
    ),
  },
  buffer: BUFFER,
  conversationLimits: CONVERSATION_LIMITS,
  interview: INTERVIEW,
  llm: LLM,
  knowledge: KNOWLEDGE,
  session: {
    idleMs: seconds(
      'SESSION_IDLE_TIMEOUT',
      { default: 2_592_000, min: 600, max: 31_536_000 },
      'A browser that is not used for this long is signed out; its candidate opens the link again.',
    ),
    lifetimeMs: seconds(
      'SESSION_LIFETIME',
      { default: 15_552_000, min: 600, max: 31_536_000 },
      'Longest time that a browser stays signed in, however often it is used.',
    ),
  },
  sse: {
    heartbeatMs: seconds(
      'SSE_HEARTBEAT',
      { default: 15, min: 0.05, max: 120 },
      'Pause between comments on an idle stream.',
    ),
    slowReaderMs: seconds(
      'SSE_SLOW_READER_TIMEOUT',
      { default: 30, min: 0.1, max: 600 },
      'A reader that takes nothing for this long is cut off.',
    ),
    streamsPerSession: count(
      'SSE_STREAMS_PER_SESSION',
      { default: 12, min: 1, max: 10000, unit: 'streams' },
      'Open streams of one session; as many more may watch its conversation.',
    ),
  },
  shutdown: {
    deadlineMs: seconds(
      'SHUTDOWN_DEADLINE',
      { default: 60, min: 0.1, max: 600 },
      'Longest time for a shutdown to finish what was begun.',
    ),
    pending: choice(
      'SHUTDOWN_PENDING',
      ['keep', 'flush'],
      'keep',
      'keep: answers that are still being collected stay in the database for the next start; flush: they get their replies before the exit.',
    ),
  },
  delivery: {
    timeoutMs: seconds(
      'DELIVERY_TIMEOUT',
      { default: 30, min: 0.1, max: 300 },
      'Wait for a channel to accept a part of a reply; after it, it is unknown whether the part arrived, and it is sent once more.',
    ),
  },
  telegram: {
    /** Empty: the channel is off. */
    token: botToken(
      'TELEGRAM_BOT_TOKEN',
      'Token of the Telegram bot, from @BotFather. Empty: the channel is off.',
    ),
    apiRoot: url('TELEGRAM_API_ROOT', 'https://api.telegram.org', 'Address of the Bot API.'),
    mode: choice(
      'TELEGRAM_MODE',
      ['polling', 'webhook'],
      'polling',
      'How updates come in; webhook needs PUBLIC_URL with https, and TELEGRAM_WEBHOOK_SECRET.',
    ),
    webhookSecret: webhookSecret(
      'TELEGRAM_WEBHOOK_SECRET',
      'Secret that Telegram sends with each webhook call.',
    ),
    timeoutMs: seconds(
      'TELEGRAM_TIMEOUT',
      { default: 10, min: 0.1, max: 120 },
      'Wait for the Bot API except for deliveries: replies to commands, files, set-up.',
    ),
    wrongPinsPerHour: count(
      'TELEGRAM_WRONG_PINS_PER_HOUR',
      { default: 100, min: 10, max: 100_000, unit: 'PINs' },
      'Wrong PINs from all accounts together in an hour; after that PINs are refused until the hour is over. The first three of each account do not count.',
    ),
    firstPinsPerHour: count(
      'TELEGRAM_FIRST_PINS_PER_HOUR',
      { default: 1000, min: 100, max: 100_000, unit: 'PINs' },
      'The same for the first three wrong PINs of each account.',
    ),
    /** Without the @; empty: there is no link to the bot. */
    botName: botName(
      'TELEGRAM_BOT_NAME',
      'Name of the Telegram bot, without @; it forms the Telegram links of invitations.',
    ),
  },
  notion: NOTION_CALLS,
  notionSync: NOTION_SYNC,
  notionBoard: NOTION_BOARD,
  notionReview: NOTION_REVIEW,
  admin: {
    /** The token without a name; it joins the others in `tokens`. */
    unnamedToken: chosenSecret(
      'ADMIN_TOKEN',
      'Bearer token of the admin API. Without it and ADMIN_TOKENS the admin API is off, except at a terminal on the embedded database, which shows a token for its run.',
    ),
    namedTokens: namedTokens(
      'ADMIN_TOKENS',
      'Bearer tokens of the admin API by name: the audit records under that name what each reads and erases.',
    ),
    auditRetentionDays: count(
      'AUDIT_RETENTION_DAYS',
      { default: 400, min: 1, max: 36500, unit: 'days' },
      'Days for which the audit of who read or erased an interview is stored.',
    ),
    letterReminderDays: count(
      'DECISION_NOTICE_REMIND_DAYS',
      { default: 14, min: 1, max: 29, unit: 'days' },
      'Days after an adverse decision without its letter until a person is reminded, where a notice of the vacancy asks for one (us-co: within 30 days).',
    ),
    alertWebhookUrl: secretUrl(
      'ALERT_WEBHOOK_URL',
      'Receives one POST for each new item that needs a person. Empty: none.',
    ),
    alertTimeoutMs: millis(
      'ALERT_TIMEOUT',
      { default: 5000, min: 10, max: 60000 },
      'Time for one alert.',
    ),
  },
  /** What a vacancy's open link takes; anybody may open it any number of times. */
  openLinks: {
    burstInterviews: count(
      'OPEN_LINK_INTERVIEWS_PER_10_MINUTES',
      { default: 300, min: 1, max: 1000000, unit: 'interviews' },
      'New interviews of one open link in ten minutes; after that the page asks to come back later. A full lecture hall is below it. Personal invitations have no such limit.',
    ),
    dayInterviews: count(
      'OPEN_LINK_INTERVIEWS_PER_DAY',
      { default: 2000, min: 1, max: 1000000, unit: 'interviews' },
      'The same in 24 hours.',
    ),
    burstUploadMb: count(
      'OPEN_LINK_UPLOAD_MB_PER_10_MINUTES',
      { default: 200, min: 1, max: 1000000, unit: 'MB' },
      'Files and recordings that the interviews of one open link store in ten minutes; after that they take text only.',
    ),
    dayUploadMb: count(
      'OPEN_LINK_UPLOAD_MB_PER_DAY',
      { default: 4096, min: 1, max: 100000000, unit: 'MB' },
      'The same in 24 hours.',
    ),
    diskReserveMb: count(
      'DISK_RESERVE_MB',
      { default: 512, min: 0, max: 10000000, unit: 'MB' },
      "Free space on the disk of the embedded database below which no open link begins an interview and no file or recording is stored. 0: not checked. The disk of another PostgreSQL is its operator's.",
    ),
  },
  scoring: {
    isOn: switchOn(
      'SCORING',
      false,
      'true: the model rates the answers of a finished interview by the rubrics, with at least three requests for each criterion. Nothing of it is shown before a rubric is certified; docs/scoring.md.',
    ),
  },
  retention: {
    preset: choice(
      'RETENTION_PRESET',
      [
        'none',
        'us-29cfr1602',
        'us-41cfr60',
        'us-ca-2ccr11013',
        'us-co-sb26-189',
        'fr-cnil',
        'de-agg',
        'ru-152fz',
      ],
      'none',
      'How long interviews are kept, by the text that the preset is named after; docs/retention.md says which. none: until erased.',
    ),
    transcriptDays: count(
      'RETENTION_TRANSCRIPT_DAYS',
      { default: 0, min: 0, max: 36500, unit: 'days' },
      'Days after the last message for which a candidate and their interviews are kept. 0: as the preset says.',
    ),
    mediaDays: count(
      'RETENTION_MEDIA_DAYS',
      { default: 0, min: 0, max: 36500, unit: 'days' },
      'Days for which recordings and files are kept; their lines stay in the transcript. 0: as the preset says.',
    ),
    scoresDays: count(
      'RETENTION_SCORES_DAYS',
      { default: 0, min: 0, max: 36500, unit: 'days' },
      "Days for which scorings with their samples and people's ratings are kept. 0: as the preset says.",
    ),
    decisionsDays: count(
      'RETENTION_DECISIONS_DAYS',
      { default: 0, min: 0, max: 36500, unit: 'days' },
      'Days for which recorded decisions are kept; the chain of decision files stays. 0: as the preset says.',
    ),
    notStartedDays: count(
      'RETENTION_NOT_STARTED_DAYS',
      { default: 30, min: 1, max: 30, unit: 'days' },
      'Days for which those are kept who never agreed to an interview and have no open invitation.',
    ),
  },
};

type Read = Values<typeof TREE>;

/** All settings in the order of the documents. */
export const SETTINGS = settingsIn(TREE);

/** What depends on more than one setting. */
function withDerived(read: Read) {
  const { http, llm, admin, scoring } = read;
  const hasServer = llm.apiKey !== '';
  const unnamed: NamedToken = { name: 'ADMIN_TOKEN', token: admin.unnamedToken };
  return {
    ...read,
    http: Object.freeze({
      ...http,
      /** Only this machine reaches the server: a loopback address, and no proxy in front of it. */
      isLocal: isLoopback(http.host) && http.trustProxy === false,
    }),
    llm: Object.freeze({
      ...llm,
      /** Both null without a server to ask. */
      embeddingModel: hasServer ? llm.embeddingModel : null,
      transcriptionModel: hasServer ? llm.transcriptionModel : null,
      /** The second server and its model; null: none. */
      fallback:
        llm.fallbackApiKey === ''
          ? null
          : Object.freeze({
              baseUrl: llm.fallbackBaseUrl,
              apiKey: llm.fallbackApiKey,
              model: llm.fallbackModel,
            }),
    }),
    /** Off without a server to ask. */
    scoring: Object.freeze({ isOn: scoring.isOn && hasServer }),
    admin: Object.freeze({
      ...admin,
      /** Empty: the admin API is off. */
      tokens: Object.freeze([
        ...(admin.unnamedToken === '' ? [] : [unnamed]),
        ...admin.namedTokens,
      ]),
    }),
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
    Object.freeze(this);
  }
} as new (groups: Groups) => Groups;

/** What the application runs with: read once at the start from the environment, frozen, complete. */
export class Settings extends Fields {
  /** Throws InvalidSettingsError, which lists every bad setting. */
  static fromEnvironment(env: Readonly<Record<string, string | undefined>>): Settings {
    return new Settings(withDerived(readSettings(TREE, env, contradictions)));
  }
}

/** What is wrong with settings that are each valid alone. */
function contradictions(values: Read): string[] {
  return [
    ...learningContradictions(values),
    ...fallbackContradictions(values),
    ...webhookContradictions(values),
    ...notionContradictions(values),
  ];
}

function learningContradictions({ buffer: { learning } }: Read): string[] {
  if (learning.floorMs <= learning.ceilingMs) return [];
  return ['INTERVIEW_BUFFER_LEARNED_MIN: expected at most INTERVIEW_BUFFER_LEARNED_MAX'];
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
