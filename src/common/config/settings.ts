import type { NamedToken } from './setting-kinds';
import { type SettingValues, readSettings } from './read-settings';

type Read = SettingValues;

/**
 * What the application runs with: compiled once at boot from the environment, frozen, complete.
 * Durations are in milliseconds.
 */
export class Settings {
  readonly http;
  readonly database;
  readonly jobs;
  readonly buffer;
  readonly interview;
  /** What one conversation takes of its candidate, altogether. */
  readonly conversationLimits;
  readonly llm;
  readonly knowledge;
  readonly session;
  readonly sse;
  readonly shutdown;
  readonly delivery;
  readonly telegram;
  readonly notionBoard;
  readonly notion;
  readonly notionSync;
  readonly notionReview;
  readonly admin;
  readonly log;

  private constructor(read: Read) {
    this.http = httpOf(read);
    this.database = databaseOf(read);
    this.jobs = jobsOf(read);
    this.buffer = bufferOf(read);
    this.interview = Object.freeze({
      scriptedPaceMs: read.INTERVIEW_SCRIPTED_PACE,
      maxFileBytes: read.INTERVIEW_MAX_FILE_BYTES,
    });
    this.conversationLimits = Object.freeze({
      messages: read.INTERVIEW_MAX_MESSAGES,
      chars: read.INTERVIEW_MAX_CHARS,
      audioBytes: read.INTERVIEW_MAX_AUDIO_BYTES,
    });
    this.llm = llmOf(read);
    this.knowledge = knowledgeOf(read);
    this.session = Object.freeze({
      idleMs: read.SESSION_IDLE_TIMEOUT,
      lifetimeMs: read.SESSION_LIFETIME,
    });
    this.sse = sseOf(read);
    this.shutdown = Object.freeze({
      deadlineMs: read.SHUTDOWN_DEADLINE,
      pending: read.SHUTDOWN_PENDING,
    });
    this.delivery = Object.freeze({ timeoutMs: read.DELIVERY_TIMEOUT });
    this.telegram = telegramOf(read);
    this.notionBoard = notionBoardOf(read);
    this.notion = notionOf(read);
    this.notionSync = notionSyncOf(read);
    this.notionReview = notionReviewOf(read);
    this.admin = Object.freeze({
      /** Empty: the admin API is off. */
      tokens: adminTokensOf(read),
      auditRetentionDays: read.AUDIT_RETENTION_DAYS,
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
    responseTimeoutMs: read.RESPONSE_TIMEOUT,
    managementToken: read.MANAGEMENT_TOKEN,
    metricsMaxAgeMs: read.METRICS_MAX_AGE,
    requestTimeoutMs: read.REQUEST_TIMEOUT,
    uploadMinBytesPerSecond: read.UPLOAD_MIN_RATE,
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

function jobsOf(read: Read) {
  return Object.freeze({
    leaseMs: read.TASK_LEASE,
    pollMs: read.TASK_POLL,
    attentionAfterMs: read.TASK_ATTENTION_AFTER,
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
    requestTimeoutMs: read.OPENAI_REQUEST_TIMEOUT,
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
    wrongPinsPerHour: read.TELEGRAM_WRONG_PINS_PER_HOUR,
    firstPinsPerHour: read.TELEGRAM_FIRST_PINS_PER_HOUR,
    /** Without the @; empty: there is no link to the bot. */
    botName: read.TELEGRAM_BOT_NAME.trim().replace(/^@/, ''),
  });
}

function notionBoardOf(read: Read) {
  return Object.freeze({
    names: Object.freeze({
      name: read.NOTION_PROPERTY_NAME,
      assignee: read.NOTION_PROPERTY_ASSIGNEE,
      importance: read.NOTION_PROPERTY_IMPORTANCE,
      status: read.NOTION_PROPERTY_STATUS,
      due: read.NOTION_PROPERTY_DUE,
      estimate: read.NOTION_PROPERTY_ESTIMATE,
      startedDate: read.NOTION_PROPERTY_STARTED_DATE,
      parentTask: read.NOTION_PROPERTY_PARENT_TASK,
      blockedBy: read.NOTION_PROPERTY_BLOCKED_BY,
      queueRank: read.NOTION_PROPERTY_QUEUE_RANK,
      projectedCompletion: read.NOTION_PROPERTY_PROJECTED_COMPLETION,
      atRisk: read.NOTION_PROPERTY_AT_RISK,
    }),
    ranking: Object.freeze({
      strategy: read.NOTION_RANKING,
      weights: Object.freeze({
        importance: read.NOTION_WEIGHT_IMPORTANCE,
        due: read.NOTION_WEIGHT_DUE,
        age: read.NOTION_WEIGHT_AGE,
      }),
    }),
    brake: Object.freeze({
      share: read.NOTION_BRAKE_SHARE,
      minTasks: read.NOTION_BRAKE_MIN_TASKS,
    }),
    dates: Object.freeze({
      driftDays: read.NOTION_DATE_DRIFT_DAYS,
      exactRanks: read.NOTION_DATE_EXACT_RANKS,
    }),
    chunkSize: read.NOTION_CHUNK_SIZE,
    place: Object.freeze({ country: read.NOTION_COUNTRY, region: read.NOTION_REGION }),
    timeZone: read.NOTION_TIME_ZONE,
    hoursADay: read.NOTION_HOURS_A_DAY,
    estimateUnit: read.NOTION_ESTIMATE_UNIT,
    defaultEstimate: read.NOTION_DEFAULT_ESTIMATE,
  });
}

function notionOf(read: Read) {
  return Object.freeze({
    /** Empty: the sync is off. */
    token: read.NOTION_TOKEN,
    apiUrl: read.NOTION_API_URL,
    timeoutMs: read.NOTION_TIMEOUT_MS,
    maxPerSecond: read.NOTION_MAX_RPS,
    maxAtOnce: read.NOTION_TOKEN_CAPACITY,
    maxPerMinute: read.NOTION_BUDGET_PER_MINUTE,
    backoffInitialMs: read.NOTION_BACKOFF_INITIAL_MS,
    backoffMaxMs: read.NOTION_BACKOFF_MAX_MS,
    /** Beyond the first. */
    maxTries: read.NOTION_MAX_TRIES,
  });
}

function notionSyncOf(read: Read) {
  return Object.freeze({
    dataSourceId: read.NOTION_DATA_SOURCE_ID,
    /** Empty: the enrolled one. */
    webhookToken: read.NOTION_WEBHOOK_TOKEN,
    /** Empty: automations are refused. */
    automationSecret: read.NOTION_AUTOMATION_SECRET,
    eventsPerSecond: read.NOTION_EVENTS_PER_SECOND,
    debounceMs: read.NOTION_DEBOUNCE_MS,
    debounceMaxMs: read.NOTION_DEBOUNCE_MAX_MS,
    maxWaitMs: read.NOTION_MAX_WAIT,
    isLogging: read.NOTION_LOGGING,
    sweepIntervalMs: read.NOTION_SWEEP_INTERVAL,
    sweepShare: read.NOTION_SWEEP_SHARE,
  });
}

function notionReviewOf(read: Read) {
  return Object.freeze({
    /** Each null where the board has no such property. */
    names: Object.freeze({
      candidate: read.NOTION_PROPERTY_CANDIDATE,
      vacancy: read.NOTION_PROPERTY_VACANCY,
      coverage: read.NOTION_PROPERTY_COVERAGE,
      transcript: read.NOTION_PROPERTY_TRANSCRIPT,
    }),
    /** Null: the board's default. */
    status: read.NOTION_REVIEW_STATUS,
    importance: read.NOTION_REVIEW_IMPORTANCE,
    /** 0: none. */
    estimate: read.NOTION_REVIEW_ESTIMATE,
  });
}

/** The one without a name of its own has the setting's. */
function adminTokensOf(read: Read): readonly NamedToken[] {
  const unnamed = { name: 'ADMIN_TOKEN', token: read.ADMIN_TOKEN };
  return Object.freeze([...(read.ADMIN_TOKEN === '' ? [] : [unnamed]), ...read.ADMIN_TOKENS]);
}

function sseOf(read: Read) {
  return Object.freeze({
    heartbeatMs: read.SSE_HEARTBEAT,
    slowReaderMs: read.SSE_SLOW_READER_TIMEOUT,
    streamsPerSession: read.SSE_STREAMS_PER_SESSION,
  });
}
