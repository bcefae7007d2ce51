import { type SettingValues, readSettings } from './read-settings';

type Read = SettingValues;

/**
 * What the application runs with: compiled once at boot from the environment, frozen, complete.
 * Durations are in milliseconds.
 */
export class Settings {
  readonly http;
  readonly database;
  readonly tasks;
  readonly buffer;
  readonly interview;
  readonly llm;
  readonly knowledge;
  readonly sse;
  readonly shutdown;
  readonly delivery;
  readonly telegram;
  readonly admin;
  readonly log;

  private constructor(read: Read) {
    this.http = httpOf(read);
    this.database = databaseOf(read);
    this.tasks = tasksOf(read);
    this.buffer = bufferOf(read);
    this.interview = Object.freeze({ scriptedPaceMs: read.INTERVIEW_SCRIPTED_PACE });
    this.llm = llmOf(read);
    this.knowledge = knowledgeOf(read);
    this.sse = sseOf(read);
    this.shutdown = Object.freeze({
      deadlineMs: read.SHUTDOWN_DEADLINE,
      pending: read.SHUTDOWN_PENDING,
    });
    this.delivery = Object.freeze({ timeoutMs: read.DELIVERY_TIMEOUT });
    this.telegram = telegramOf(read);
    this.admin = Object.freeze({
      token: read.ADMIN_TOKEN,
      alertWebhookUrl: read.ALERT_WEBHOOK_URL,
      alertTimeoutMs: read.ALERT_TIMEOUT,
    });
    this.log = Object.freeze({ level: read.LOG_LEVEL, isPretty: read.LOG_PRETTY });
    Object.freeze(this);
  }

  /** Throws InvalidSettingsError with every bad setting. */
  static fromEnvironment(env: Readonly<Record<string, string | undefined>>): Settings {
    return new Settings(readSettings(env));
  }
}

function httpOf(read: Read) {
  return Object.freeze({
    host: read.HOST,
    port: read.PORT,
    publicUrl: read.PUBLIC_URL,
    trustProxy: read.TRUST_PROXY,
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
  });
}

function databaseOf(read: Read) {
  return Object.freeze({
    /** Null: embedded. */
    url: read.DATABASE_URL === '' ? null : read.DATABASE_URL,
    dataDir: read.COLLOQUY_DATA_DIR,
    poolSize: read.DATABASE_POOL_SIZE,
    replicas: read.DATABASE_REPLICAS,
  });
}

function tasksOf(read: Read) {
  return Object.freeze({
    leaseMs: read.TASK_LEASE,
    pollMs: read.TASK_POLL,
    flushConcurrency: read.TASK_FLUSH_CONCURRENCY,
  });
}

function bufferOf(read: Read) {
  return Object.freeze({
    enabled: read.INTERVIEW_BUFFER_ENABLED,
    debounceMs: read.INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT,
    debounceWebMs: read.INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB,
    typingDebounceMs: read.INTERVIEW_TYPING_DEBOUNCE_TIMEOUT,
    maxWaitMs: read.INTERVIEW_BUFFER_MAX_WAIT,
    maxSize: read.INTERVIEW_BUFFER_MAX_SIZE,
    maxChars: read.INTERVIEW_BUFFER_MAX_CHARS,
    ttlMs: read.INTERVIEW_BUFFER_TTL,
  });
}

function llmOf(read: Read) {
  return Object.freeze({
    /** Empty: the scripted interviewer. */
    apiKey: read.OPENAI_API_KEY,
    baseUrl: read.OPENAI_BASE_URL,
    model: read.OPENAI_MODEL,
    maxOutputTokens: read.OPENAI_MAX_OUTPUT_TOKENS,
    firstByteTimeoutMs: read.OPENAI_FIRST_BYTE_TIMEOUT,
    idleTimeoutMs: read.OPENAI_IDLE_TIMEOUT,
    inputPricePerMillionUsd: read.OPENAI_INPUT_PRICE,
    outputPricePerMillionUsd: read.OPENAI_OUTPUT_PRICE,
    /** Null: none, or no server to ask. */
    embeddingModel:
      read.OPENAI_API_KEY === '' || read.OPENAI_EMBEDDING_MODEL === ''
        ? null
        : read.OPENAI_EMBEDDING_MODEL,
    embeddingTimeoutMs: read.OPENAI_EMBEDDING_TIMEOUT,
    embeddingPricePerMillionUsd: read.OPENAI_EMBEDDING_PRICE,
    /** Null: none, or no server to ask. */
    transcriptionModel:
      read.OPENAI_API_KEY === '' || read.OPENAI_TRANSCRIPTION_MODEL === ''
        ? null
        : read.OPENAI_TRANSCRIPTION_MODEL,
    transcriptionTimeoutMs: read.OPENAI_TRANSCRIPTION_TIMEOUT,
  });
}

function knowledgeOf(read: Read) {
  return Object.freeze({
    embeddingBatch: read.KNOWLEDGE_EMBEDDING_BATCH,
    rerankTimeoutMs: read.KNOWLEDGE_RERANK_TIMEOUT,
  });
}

function telegramOf(read: Read) {
  return Object.freeze({
    /** Empty: the channel is off. */
    token: read.TELEGRAM_BOT_TOKEN,
    apiRoot: read.TELEGRAM_API_ROOT,
    mode: read.TELEGRAM_MODE,
    webhookSecret: read.TELEGRAM_WEBHOOK_SECRET,
    timeoutMs: read.TELEGRAM_TIMEOUT,
    /** Without the @; empty: there is no link to the bot. */
    botName: read.TELEGRAM_BOT_NAME.trim().replace(/^@/, ''),
  });
}

function sseOf(read: Read) {
  return Object.freeze({
    heartbeatMs: read.SSE_HEARTBEAT,
    slowReaderMs: read.SSE_SLOW_READER_TIMEOUT,
    streamsPerSession: read.SSE_STREAMS_PER_SESSION,
  });
}
