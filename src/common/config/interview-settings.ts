import { z } from 'zod';
import {
  MONEY,
  OPTIONAL_TEXT,
  SECRET,
  SWITCH,
  TEXT,
  TIME_ZONE,
  WEB_ADDRESS,
  count,
  millis,
  seconds,
  setting,
} from './setting-kinds';

/** When the messages of a candidate count as one complete answer. */
export const BUFFER = z.object({
  enabled: setting(
    'INTERVIEW_BUFFER_ENABLED=true',
    SWITCH,
    'false: every message gets its reply at once, through the same durable path.',
  ),
  debounceMs: setting(
    'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT=10',
    seconds(0.1, 600),
    'Quiet time after the last message before an answer counts as complete.',
  ),
  debounceWebMs: setting(
    'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB=4',
    seconds(0.1, 600),
    'The same on the web page, which sees typing.',
  ),
  typingDebounceMs: setting(
    'INTERVIEW_TYPING_DEBOUNCE_TIMEOUT=5',
    seconds(0.1, 600),
    'How long typing or recording keeps an answer open.',
  ),
  isLearning: setting(
    'INTERVIEW_BUFFER_LEARNING=true',
    SWITCH,
    "Learn each candidate's quiet time from their pauses; until enough is known, and with false always, the settings above hold. Whoever wants the same quiet time for everybody sets false.",
  ),
  maxWaitMs: setting(
    'INTERVIEW_BUFFER_MAX_WAIT=120',
    seconds(0.1, 3600),
    'Longest total wait for an answer, counted from its first message.',
  ),
  maxSize: setting(
    'INTERVIEW_BUFFER_MAX_SIZE=50',
    count(1, 1000, 'messages'),
    'Messages that complete an answer at once.',
  ),
  maxChars: setting(
    'INTERVIEW_BUFFER_MAX_CHARS=16000',
    count(100, 200000, 'characters'),
    'Characters (UTF-16 units) that complete an answer at once. A message has 16,000 at most.',
  ),
  ttlMs: setting(
    'INTERVIEW_BUFFER_TTL=3600',
    seconds(1, 604800),
    'Age after which an answer that was tried and failed goes to a person.',
  ),
});

/** What one conversation takes of its candidate, altogether. */
export const CONVERSATION_LIMITS = z.object({
  messages: setting(
    'INTERVIEW_MAX_MESSAGES=2000',
    count(1, 100000, 'messages'),
    'Messages that one conversation takes of its candidate, altogether. An operator lowers it when somebody floods interviews.',
  ),
  chars: setting(
    'INTERVIEW_MAX_CHARS=1000000',
    count(100, 20000000, 'characters'),
    'Characters (UTF-16 units) that one conversation takes of its candidate, altogether. An operator lowers it when somebody floods interviews.',
  ),
  audioBytes: setting(
    'INTERVIEW_MAX_AUDIO_BYTES=268435456',
    count(1000, 2147483647, 'bytes'),
    'Bytes of audio and files that one conversation takes of its candidate, altogether. An operator with a small disk lowers it.',
  ),
});

export const INTERVIEW = z.object({
  scriptedPaceMs: setting(
    'INTERVIEW_SCRIPTED_PACE=25',
    millis(0, 1000),
    'Pause between the words of a reply that code writes; 0 sends it at once. Whoever wants such replies at once, as automated tests do, sets 0.',
  ),
  reminderAfterMs: setting(
    'INTERVIEW_REMINDER_AFTER=86400',
    seconds(60, 2_592_000),
    'Silence of a candidate after which the first reminder is sent; each later wait is twice as long, and after one more the interview expires. The hiring team chooses it with the pace of its hiring.',
  ),
  timeZone: setting(
    'INTERVIEW_TIME_ZONE=UTC',
    TIME_ZONE,
    'Time zone (IANA) of a candidate where neither their browser nor the vacancy names one: no reminder is sent between 21:00 and 09:00. The hiring team sets it where most candidates live.',
  ),
  maxFileBytes: setting(
    'INTERVIEW_MAX_FILE_BYTES=20971520',
    count(1000, 20971520, 'bytes'),
    'Bytes of the largest file that a candidate may send; the Bot API provides no larger ones. An operator whose proxy or disk takes less lowers it.',
  ),
});

/** The server of the model, and how long it may take. */
export const LLM = z.object({
  /** Empty: the scripted interviewer. */
  apiKey: setting(
    'OPENAI_API_KEY=',
    SECRET,
    'Key of the model server. Empty: the scripted interviewer asks the questions of the plan. The operator sets it to let a model interview.',
  ),
  baseUrl: setting(
    'OPENAI_BASE_URL=https://api.openai.com/v1',
    WEB_ADDRESS,
    'Any server that speaks the OpenAI chat completions protocol.',
  ),
  model: setting(
    'OPENAI_MODEL=gpt-4.1-mini',
    TEXT,
    'Model that interviews. The operator chooses it with the server.',
  ),
  fallbackBaseUrl: setting(
    'OPENAI_FALLBACK_BASE_URL=',
    WEB_ADDRESS,
    'Server of a second model, which replies in interviews while the first server is away. Needs a key and a model too; empty: none. Answers of candidates then go to two services: docs/privacy.md. An operator sets the three of them where interviews must go on during an outage.',
  ),
  fallbackApiKey: setting(
    'OPENAI_FALLBACK_API_KEY=',
    SECRET,
    'Key of the second server. Set with OPENAI_FALLBACK_BASE_URL.',
  ),
  /** Empty: none. */
  fallbackModel: setting(
    'OPENAI_FALLBACK_MODEL=',
    TEXT,
    'The second model. Set with OPENAI_FALLBACK_BASE_URL.',
  ),
  maxOutputTokens: setting(
    'OPENAI_MAX_OUTPUT_TOKENS=1000',
    count(50, 16000, 'tokens'),
    'Longest reply of the model. Raise it when the doctor says that replies are cut.',
  ),
  maxReasoningTokens: setting(
    'OPENAI_MAX_REASONING_TOKENS=8000',
    count(0, 64000, 'tokens'),
    'More tokens for a request after the reasoning of the model has used up those of its reply; 0: none. Raise it for a model that thinks longer.',
  ),
  firstByteTimeoutMs: setting(
    'OPENAI_FIRST_BYTE_TIMEOUT=30',
    seconds(0.1, 600),
    'Wait for the model to begin its reply. Raise it for a slow server of your own.',
  ),
  idleTimeoutMs: setting(
    'OPENAI_IDLE_TIMEOUT=20',
    seconds(0.1, 600),
    'Longest silence inside a reply. Raise it for a slow server of your own.',
  ),
  requestTimeoutMs: setting(
    'OPENAI_REQUEST_TIMEOUT=180',
    seconds(1, 3600),
    'Longest request for a reply, to its last word; a server that keeps sending nothing is cut off then. Raise it for a slow server of your own.',
  ),
  inputPricePerMillionUsd: setting(
    'OPENAI_INPUT_PRICE=0',
    MONEY,
    'Price of a million input tokens in US dollars, for the ledger. Set it from the contract with the provider to see costs.',
  ),
  outputPricePerMillionUsd: setting(
    'OPENAI_OUTPUT_PRICE=0',
    MONEY,
    'Price of a million output tokens in US dollars, for the ledger. Set it from the contract with the provider to see costs.',
  ),
  /** Null: none, or no server to ask. */
  embeddingModel: setting(
    'OPENAI_EMBEDDING_MODEL=',
    OPTIONAL_TEXT,
    "Model that embeds a vacancy's documents and candidates' questions, on the same server. Empty: documents are searched by their words. Set it where vacancies have documents and the server embeds.",
  ),
  embeddingTimeoutMs: setting(
    'OPENAI_EMBEDDING_TIMEOUT=5',
    seconds(0.1, 60),
    'Time for one embedding request; a question that is not embedded by then is searched by its words. Raise it for a slow server of your own.',
  ),
  embeddingPricePerMillionUsd: setting(
    'OPENAI_EMBEDDING_PRICE=0',
    MONEY,
    'Price of a million embedded tokens in US dollars, for the ledger. Set it from the contract with the provider to see costs.',
  ),
  /** Null: none, or no server to ask. */
  transcriptionModel: setting(
    'OPENAI_TRANSCRIPTION_MODEL=',
    OPTIONAL_TEXT,
    'Model that transcribes voice messages, on the same server. Empty: candidates are asked for text, and their audio is stored. Set it where the server transcribes.',
  ),
  transcriptionTimeoutMs: setting(
    'OPENAI_TRANSCRIPTION_TIMEOUT=60',
    seconds(0.1, 600),
    'Wait for the transcript of one voice message. Raise it for a slow server of your own.',
  ),
});
