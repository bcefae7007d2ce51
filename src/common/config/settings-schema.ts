import {
  botToken,
  choice,
  chosenSecret,
  count,
  millis,
  money,
  namedTokens,
  postgresUrl,
  seconds,
  secret,
  switchOn,
  text,
  trustedProxies,
  url,
  webhookSecret,
} from './setting-kinds';
import {
  NOTION_CALL_SETTINGS,
  NOTION_BOARD_SETTINGS,
  NOTION_REVIEW_SETTINGS,
  NOTION_SYNC_SETTINGS,
} from './notion-settings';

/**
 * Every setting: its kind (with default and bounds) and one sentence. The table in
 * docs/configuration.md and .env.example are written from here (`npm run config:doc`).
 */
export const SETTINGS = {
  HOST: text(
    '127.0.0.1',
    'Address that the HTTP server listens on; 0.0.0.0 for all, which the image sets.',
  ),
  PORT: count(
    { default: 3000, min: 0, max: 65535 },
    'Port of the HTTP server; 0 takes a free one.',
  ),
  PUBLIC_URL: url(
    '',
    'Address under which candidates reach the page; it forms the links. Empty: http://localhost and the port.',
  ),
  TRUST_PROXY: trustedProxies(
    'Proxies whose X-Forwarded-For is believed: how many there are in front of this server, or their addresses. false: none.',
  ),
  MANAGEMENT_TOKEN: chosenSecret(
    'Shows /metrics, /docs and the details of /health/ready to whoever sends it as a bearer or password. Empty: they are open while HOST is a loopback address and TRUST_PROXY is false, else off.',
  ),
  METRICS_MAX_AGE: seconds(
    { default: 1, min: 0, max: 60 },
    'Scrapes of /metrics within this time get the same figures.',
  ),
  REQUEST_TIMEOUT: seconds(
    { default: 120, min: 0.1, max: 3600 },
    'Longest time for a request to arrive, its body included; after it the connection is closed.',
  ),
  UPLOAD_MIN_RATE: count(
    { default: 4096, min: 1, max: 1000000 },
    'Lowest rate at which a body may arrive, in bytes a second over any five seconds.',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug'],
    'info',
    'Least severe log line that is written.',
  ),
  LOG_PRETTY: switchOn(false, 'Log lines for people instead of JSON.'),

  DATABASE_URL: postgresUrl('PostgreSQL 15 or newer. Empty: an embedded PostgreSQL is started.'),
  COLLOQUY_DATA_DIR: text('.data', 'Folder of the embedded PostgreSQL.'),
  DATABASE_POOL_SIZE: count(
    { default: 6, min: 2, max: 50 },
    'Pooled connections of one replica; two more serve claims and notices.',
  ),
  DATABASE_REPLICAS: count(
    { default: 1, min: 1, max: 200 },
    'Replicas (with those that a deploy adds) whose connections are checked against max_connections at boot.',
  ),

  TASK_LEASE: seconds(
    { default: 6, min: 0.5, max: 60 },
    'How long a claim holds without a heartbeat; another replica goes on within this and 2 s.',
  ),
  TASK_POLL: seconds({ default: 0.25, min: 0.01, max: 5 }, 'Longest sleep of the job loop.'),
  TASK_ATTENTION_AFTER: seconds(
    { default: 900, min: 1, max: 86400 },
    'How long a job is given back, because a peer fails or it has to wait, before it is in the attention list; it is tried on.',
  ),
  TASK_FLUSH_CONCURRENCY: count(
    { default: 256, min: 1, max: 2000 },
    'Answers that one replica works on at a time.',
  ),

  INTERVIEW_BUFFER_ENABLED: switchOn(
    true,
    'false: every message is answered at once, through the same durable path.',
  ),
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: seconds(
    { default: 10, min: 0.1, max: 600 },
    'Quiet time after the last message before an answer counts as complete.',
  ),
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: seconds(
    { default: 4, min: 0.1, max: 600 },
    'The same on the web page, which sees typing.',
  ),
  INTERVIEW_TYPING_DEBOUNCE_TIMEOUT: seconds(
    { default: 5, min: 0.1, max: 600 },
    'How long typing or recording keeps an answer open.',
  ),
  INTERVIEW_BUFFER_MAX_WAIT: seconds(
    { default: 120, min: 0.1, max: 3600 },
    'Longest total wait for an answer, counted from its first message.',
  ),
  INTERVIEW_BUFFER_MAX_SIZE: count(
    { default: 50, min: 1, max: 1000 },
    'Messages that complete an answer at once.',
  ),
  INTERVIEW_BUFFER_MAX_CHARS: count(
    { default: 16000, min: 100, max: 200000 },
    'Characters (UTF-16 units) that complete an answer at once; also the longest message.',
  ),
  INTERVIEW_BUFFER_TTL: seconds(
    { default: 3600, min: 1, max: 604800 },
    'Age after which an answer that was tried and failed goes to a person.',
  ),
  INTERVIEW_MAX_MESSAGES: count(
    { default: 2000, min: 1, max: 100000 },
    'Messages that one conversation takes of its candidate, altogether.',
  ),
  INTERVIEW_MAX_CHARS: count(
    { default: 1000000, min: 100, max: 20000000 },
    'Characters (UTF-16 units) that one conversation takes of its candidate, altogether.',
  ),
  INTERVIEW_MAX_AUDIO_BYTES: count(
    { default: 268435456, min: 1000, max: 2147483647 },
    'Bytes of audio and files that one conversation takes of its candidate, altogether.',
  ),
  INTERVIEW_MAX_FILE_BYTES: count(
    { default: 20971520, min: 1000, max: 20971520 },
    'Bytes of the largest file that a candidate may send; the Bot API hands out no larger ones.',
  ),

  INTERVIEW_SCRIPTED_PACE: millis(
    { default: 25, min: 0, max: 1000 },
    'Pause between the words of a reply that code writes, in milliseconds; 0 sends it at once.',
  ),

  OPENAI_API_KEY: secret(
    '',
    'Key of the model server. Empty: the scripted interviewer asks the questions of the plan.',
  ),
  OPENAI_BASE_URL: url(
    'https://api.openai.com/v1',
    'Any server that speaks the OpenAI chat completions protocol.',
  ),
  OPENAI_MODEL: text('gpt-4.1-mini', 'Model that interviews.'),
  OPENAI_MAX_OUTPUT_TOKENS: count(
    { default: 1000, min: 50, max: 16000 },
    'Longest reply of the model.',
  ),
  OPENAI_FIRST_BYTE_TIMEOUT: seconds(
    { default: 30, min: 0.1, max: 600 },
    'Wait for the model to begin its reply.',
  ),
  OPENAI_IDLE_TIMEOUT: seconds(
    { default: 20, min: 0.1, max: 600 },
    'Longest silence inside a reply.',
  ),
  OPENAI_REQUEST_TIMEOUT: seconds(
    { default: 180, min: 1, max: 3600 },
    'Longest request for a reply, to its last word; a server that keeps sending nothing is cut off then.',
  ),
  OPENAI_INPUT_PRICE: money('Price of a million input tokens in US dollars, for the ledger.'),
  OPENAI_OUTPUT_PRICE: money('Price of a million output tokens in US dollars, for the ledger.'),

  OPENAI_EMBEDDING_MODEL: text(
    '',
    "Model that embeds a vacancy's documents and candidates' questions, on the same server. Empty: documents are searched by their words.",
  ),
  OPENAI_EMBEDDING_PRICE: money(
    'Price of a million embedded tokens in US dollars, for the ledger.',
  ),
  OPENAI_EMBEDDING_TIMEOUT: seconds(
    { default: 5, min: 0.1, max: 60 },
    'Time for one embedding request; a question that is not embedded by then is searched by its words.',
  ),
  OPENAI_TRANSCRIPTION_MODEL: text(
    '',
    'Model that writes down voice messages, on the same server. Empty: candidates are asked for text, and their audio is kept.',
  ),
  OPENAI_TRANSCRIPTION_TIMEOUT: seconds(
    { default: 60, min: 0.1, max: 600 },
    'Wait for the transcript of one voice message.',
  ),
  KNOWLEDGE_EMBEDDING_BATCH: count(
    { default: 32, min: 1, max: 256 },
    'Passages that are embedded with one request.',
  ),
  KNOWLEDGE_RERANK_TIMEOUT: seconds(
    { default: 10, min: 0.1, max: 60 },
    'Time for the model to choose among the found passages, all its requests together.',
  ),

  SESSION_IDLE_TIMEOUT: seconds(
    { default: 2_592_000, min: 600, max: 31_536_000 },
    'A browser that is not used for this long is signed out; its candidate opens the link again.',
  ),
  SESSION_LIFETIME: seconds(
    { default: 15_552_000, min: 600, max: 31_536_000 },
    'Longest time that a browser stays signed in, however often it is used.',
  ),
  SSE_HEARTBEAT: seconds(
    { default: 15, min: 0.05, max: 120 },
    'Pause between comments on an idle stream.',
  ),
  SSE_SLOW_READER_TIMEOUT: seconds(
    { default: 30, min: 0.1, max: 600 },
    'A reader that takes nothing for this long is cut off.',
  ),
  SSE_STREAMS_PER_SESSION: count(
    { default: 12, min: 1, max: 10000 },
    'Open streams of one session; as many more may watch its conversation.',
  ),
  RESPONSE_TIMEOUT: seconds(
    { default: 30, min: 0.1, max: 600 },
    'Time for a client to take a response, and a second more for each 16 KB of it; after that it is cut off. Event streams have SSE_SLOW_READER_TIMEOUT.',
  ),
  RATE_LIMIT_PER_MINUTE: count(
    { default: 600, min: 1, max: 1000000 },
    'Requests of one address per minute.',
  ),

  SHUTDOWN_DEADLINE: seconds(
    { default: 60, min: 0.1, max: 600 },
    'Longest time for a shutdown to finish what was begun.',
  ),
  SHUTDOWN_PENDING: choice(
    ['keep', 'flush'],
    'keep',
    'keep: answers that are not due stay due in the database; flush: they are answered before the exit.',
  ),

  DELIVERY_TIMEOUT: seconds(
    { default: 30, min: 0.1, max: 300 },
    'Wait for a channel to take a part of a reply; after it nobody knows whether it arrived, and it is sent once more.',
  ),

  TELEGRAM_BOT_TOKEN: botToken(
    'Token of the Telegram bot, from @BotFather. Empty: the channel is off.',
  ),
  TELEGRAM_API_ROOT: url('https://api.telegram.org', 'Address of the Bot API.'),
  TELEGRAM_MODE: choice(
    ['polling', 'webhook'],
    'polling',
    'How updates come in; webhook needs PUBLIC_URL with https, and TELEGRAM_WEBHOOK_SECRET.',
  ),
  TELEGRAM_WEBHOOK_SECRET: webhookSecret(
    'What Telegram shows to prove that a webhook call is its own.',
  ),
  TELEGRAM_TIMEOUT: seconds(
    { default: 10, min: 0.1, max: 120 },
    'Wait for the Bot API where no message is delivered: answers to commands, files, set-up.',
  ),
  TELEGRAM_BOT_NAME: text(
    '',
    'Name of the Telegram bot, without @; it forms the Telegram links of invitations.',
  ),
  TELEGRAM_WRONG_PINS_PER_HOUR: count(
    { default: 100, min: 10, max: 100_000 },
    'Wrong PINs from all accounts together in an hour; then none is taken for the rest of it. The first three of each account do not count.',
  ),
  TELEGRAM_FIRST_PINS_PER_HOUR: count(
    { default: 1000, min: 100, max: 100_000 },
    'The same for the first three wrong PINs of each account.',
  ),

  ...NOTION_CALL_SETTINGS,
  ...NOTION_SYNC_SETTINGS,
  ...NOTION_BOARD_SETTINGS,
  ...NOTION_REVIEW_SETTINGS,

  ADMIN_TOKEN: chosenSecret(
    'Bearer token of the admin API. Without it and ADMIN_TOKENS the admin API is off.',
  ),
  ADMIN_TOKENS: namedTokens(
    'Bearer tokens of the admin API by name: what each reads and erases is noted under its name.',
  ),
  AUDIT_RETENTION_DAYS: count(
    { default: 400, min: 1, max: 36500 },
    'Days for which it is kept who read or erased an interview.',
  ),
  ALERT_WEBHOOK_URL: url(
    '',
    'Receives one POST for each new item that needs a person. Empty: none.',
  ),
  ALERT_TIMEOUT: millis(
    { default: 5000, min: 10, max: 60000 },
    'Time for one alert, in milliseconds.',
  ),
} as const;
