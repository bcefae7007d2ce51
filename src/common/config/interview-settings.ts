import {
  count,
  millis,
  money,
  optionalText,
  seconds,
  secret,
  switchOn,
  text,
  timeZone,
  url,
} from './setting-kinds';

/** When the messages of a candidate count as one complete answer. */
export const BUFFER = {
  enabled: switchOn(
    'INTERVIEW_BUFFER_ENABLED',
    true,
    'false: every message gets its reply at once, through the same durable path.',
  ),
  debounceMs: seconds(
    'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT',
    { default: 10, min: 0.1, max: 600 },
    'Quiet time after the last message before an answer counts as complete.',
  ),
  debounceWebMs: seconds(
    'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB',
    { default: 4, min: 0.1, max: 600 },
    'The same on the web page, which sees typing.',
  ),
  typingDebounceMs: seconds(
    'INTERVIEW_TYPING_DEBOUNCE_TIMEOUT',
    { default: 5, min: 0.1, max: 600 },
    'How long typing or recording keeps an answer open.',
  ),
  /** The quiet time of each candidate. */
  learning: {
    isOn: switchOn(
      'INTERVIEW_BUFFER_LEARNING',
      true,
      "Learn each candidate's quiet time from their pauses; until enough is known, and with false always, the settings above hold.",
    ),
    enough: count(
      'INTERVIEW_BUFFER_LEARNED_AFTER',
      { default: 3, min: 1, max: 100, unit: 'messages' },
      'Messages of a candidate that have to be known before the learned quiet time is used.',
    ),
    floorMs: seconds(
      'INTERVIEW_BUFFER_LEARNED_MIN',
      { default: 2, min: 0.1, max: 600 },
      'Shortest learned quiet time.',
    ),
    ceilingMs: seconds(
      'INTERVIEW_BUFFER_LEARNED_MAX',
      { default: 30, min: 0.1, max: 600 },
      'Longest learned quiet time; no answer waits longer than INTERVIEW_BUFFER_MAX_WAIT anyway.',
    ),
  },
  longChars: count(
    'INTERVIEW_LONG_ANSWER_CHARS',
    { default: 1500, min: 0, max: 200000, unit: 'characters' },
    'Length at which a candidate who is still writing gets one short message that the interviewer is reading; 0: never by length.',
  ),
  longMs: seconds(
    'INTERVIEW_LONG_ANSWER_TIME',
    { default: 60, min: 0, max: 3600 },
    'Time since the first message of an answer after which its candidate gets that message; 0: never by time.',
  ),
  maxWaitMs: seconds(
    'INTERVIEW_BUFFER_MAX_WAIT',
    { default: 120, min: 0.1, max: 3600 },
    'Longest total wait for an answer, counted from its first message.',
  ),
  maxSize: count(
    'INTERVIEW_BUFFER_MAX_SIZE',
    { default: 50, min: 1, max: 1000, unit: 'messages' },
    'Messages that complete an answer at once.',
  ),
  maxChars: count(
    'INTERVIEW_BUFFER_MAX_CHARS',
    { default: 16000, min: 100, max: 200000, unit: 'characters' },
    'Characters (UTF-16 units) that complete an answer at once. A message has 16,000 at most.',
  ),
  ttlMs: seconds(
    'INTERVIEW_BUFFER_TTL',
    { default: 3600, min: 1, max: 604800 },
    'Age after which an answer that was tried and failed goes to a person.',
  ),
};

/** What one conversation takes of its candidate, altogether. */
export const CONVERSATION_LIMITS = {
  messages: count(
    'INTERVIEW_MAX_MESSAGES',
    { default: 2000, min: 1, max: 100000, unit: 'messages' },
    'Messages that one conversation takes of its candidate, altogether.',
  ),
  chars: count(
    'INTERVIEW_MAX_CHARS',
    { default: 1000000, min: 100, max: 20000000, unit: 'characters' },
    'Characters (UTF-16 units) that one conversation takes of its candidate, altogether.',
  ),
  audioBytes: count(
    'INTERVIEW_MAX_AUDIO_BYTES',
    { default: 268435456, min: 1000, max: 2147483647, unit: 'bytes' },
    'Bytes of audio and files that one conversation takes of its candidate, altogether.',
  ),
};

export const INTERVIEW = {
  scriptedPaceMs: millis(
    'INTERVIEW_SCRIPTED_PACE',
    { default: 25, min: 0, max: 1000 },
    'Pause between the words of a reply that code writes; 0 sends it at once.',
  ),
  reminderAfterMs: seconds(
    'INTERVIEW_REMINDER_AFTER',
    { default: 86_400, min: 60, max: 2_592_000 },
    'Silence of a candidate after which the first reminder is sent; each later wait is twice as long, and after one more the interview expires.',
  ),
  timeZone: timeZone(
    'INTERVIEW_TIME_ZONE',
    'UTC',
    'Time zone (IANA) of a candidate where neither their browser nor the vacancy names one: no reminder is sent between 21:00 and 09:00.',
  ),
  maxFileBytes: count(
    'INTERVIEW_MAX_FILE_BYTES',
    { default: 20971520, min: 1000, max: 20971520, unit: 'bytes' },
    'Bytes of the largest file that a candidate may send; the Bot API provides no larger ones.',
  ),
};

/** The server of the model, and how long it may take. */
export const LLM = {
  /** Empty: the scripted interviewer. */
  apiKey: secret(
    'OPENAI_API_KEY',
    '',
    'Key of the model server. Empty: the scripted interviewer asks the questions of the plan.',
  ),
  baseUrl: url(
    'OPENAI_BASE_URL',
    'https://api.openai.com/v1',
    'Any server that speaks the OpenAI chat completions protocol.',
  ),
  model: text('OPENAI_MODEL', 'gpt-4.1-mini', 'Model that interviews.'),
  fallbackBaseUrl: url(
    'OPENAI_FALLBACK_BASE_URL',
    '',
    'Server of a second model, which replies in interviews while the first server is away. Needs a key and a model too; empty: none. Answers of candidates then go to two services: docs/privacy.md.',
  ),
  fallbackApiKey: secret('OPENAI_FALLBACK_API_KEY', '', 'Key of the second server.'),
  /** Empty: none. */
  fallbackModel: text('OPENAI_FALLBACK_MODEL', '', 'The second model.'),
  maxOutputTokens: count(
    'OPENAI_MAX_OUTPUT_TOKENS',
    { default: 1000, min: 50, max: 16000, unit: 'tokens' },
    'Longest reply of the model.',
  ),
  maxReasoningTokens: count(
    'OPENAI_MAX_REASONING_TOKENS',
    { default: 8000, min: 0, max: 64000, unit: 'tokens' },
    'More tokens for a request after the reasoning of the model has used up those of its reply; 0: none.',
  ),
  firstByteTimeoutMs: seconds(
    'OPENAI_FIRST_BYTE_TIMEOUT',
    { default: 30, min: 0.1, max: 600 },
    'Wait for the model to begin its reply.',
  ),
  idleTimeoutMs: seconds(
    'OPENAI_IDLE_TIMEOUT',
    { default: 20, min: 0.1, max: 600 },
    'Longest silence inside a reply.',
  ),
  requestTimeoutMs: seconds(
    'OPENAI_REQUEST_TIMEOUT',
    { default: 180, min: 1, max: 3600 },
    'Longest request for a reply, to its last word; a server that keeps sending nothing is cut off then.',
  ),
  inputPricePerMillionUsd: money(
    'OPENAI_INPUT_PRICE',
    'Price of a million input tokens in US dollars, for the ledger.',
  ),
  outputPricePerMillionUsd: money(
    'OPENAI_OUTPUT_PRICE',
    'Price of a million output tokens in US dollars, for the ledger.',
  ),
  /** Null: none, or no server to ask. */
  embeddingModel: optionalText(
    'OPENAI_EMBEDDING_MODEL',
    "Model that embeds a vacancy's documents and candidates' questions, on the same server. Empty: documents are searched by their words.",
  ),
  embeddingTimeoutMs: seconds(
    'OPENAI_EMBEDDING_TIMEOUT',
    { default: 5, min: 0.1, max: 60 },
    'Time for one embedding request; a question that is not embedded by then is searched by its words.',
  ),
  embeddingPricePerMillionUsd: money(
    'OPENAI_EMBEDDING_PRICE',
    'Price of a million embedded tokens in US dollars, for the ledger.',
  ),
  /** Null: none, or no server to ask. */
  transcriptionModel: optionalText(
    'OPENAI_TRANSCRIPTION_MODEL',
    'Model that transcribes voice messages, on the same server. Empty: candidates are asked for text, and their audio is stored.',
  ),
  transcriptionTimeoutMs: seconds(
    'OPENAI_TRANSCRIPTION_TIMEOUT',
    { default: 60, min: 0.1, max: 600 },
    'Wait for the transcript of one voice message.',
  ),
};

/** How a vacancy's documents are searched. */
export const KNOWLEDGE = {
  embeddingBatch: count(
    'KNOWLEDGE_EMBEDDING_BATCH',
    { default: 32, min: 1, max: 256, unit: 'passages' },
    'Passages that are embedded with one request.',
  ),
  rerankTimeoutMs: seconds(
    'KNOWLEDGE_RERANK_TIMEOUT',
    { default: 10, min: 0.1, max: 60 },
    'Time for the model to choose among the found passages, all its requests together.',
  ),
};
