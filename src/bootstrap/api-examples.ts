import { DECISION, JUDGING_EXAMPLES } from './judging-examples';
import { PEOPLE_EXAMPLES, personId } from './people-examples';
import { OF_CANDIDATES, RECORDS_EXAMPLES } from './records-examples';

/**
 * An example of each body of the API, by the name of its schema in the document. A test validates
 * each against its schema.
 */

const CONVERSATION_ID = '019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55';
const QUESTION_ID = '019aa3c1-9f21-7d02-8a0b-51c7d9e4b210';
const ANSWER_ID = '019aa3c2-4e77-7b9f-b1c2-9c3a8d5e6f01';

const DISCLOSURE = {
  version: '2026-11',
  text: 'You will be talking with an AI interviewer of Harbourline. A person reads your answers.',
};

/** What the page of every candidate shows first. */
const SUBJECT = {
  interviewer: 'ai',
  language: 'en',
  company: 'Harbourline',
  vacancyTitle: 'Senior Backend Engineer (Payments)',
  brand: { logo: null, accent: { light: '#0b4f8a', dark: '#8cc7f2' } },
  questions: 8,
  minutes: 20,
};

const QUESTION = {
  id: QUESTION_ID,
  clientId: null,
  seq: 2,
  role: 'assistant',
  contentType: 'TEXT',
  text: 'Which system have you built that you are proud of?',
  createdAt: '2026-11-25T09:30:12.480Z',
  question: { id: 'proud-of', start: 0 },
};

const ANSWER = {
  id: ANSWER_ID,
  clientId: 'message-1',
  seq: 3,
  role: 'user',
  contentType: 'TEXT',
  text: 'A ledger that settles two million payments a day.',
  createdAt: '2026-11-25T09:31:03.115Z',
};

const CONVERSATION = {
  id: CONVERSATION_ID,
  status: 'active',
  owner: 'model',
  ...SUBJECT,
  interviewStep: 1,
  progress: { question: 1, of: 8, unanswered: [] },
  asked: [{ id: 'proud-of', text: QUESTION.text }],
  reply: { from: 'Nora Lindqvist', withinDays: 5, by: null },
  receipt: false,
  isPreview: false,
  afterWithdrawal: null,
  disclosure: DISCLOSURE,
  consent: { version: '2026-11', accepted: true, at: '2026-11-25T09:30:05.002Z' },
  takesMessages: true,
  profile: { name: 'Ada Lovelace', contact: 'ada@example.org', needed: [] },
  hasBuffer: true,
  dueAt: '2026-11-25T09:31:07.115Z',
  dueInMs: 3500,
  replying: false,
  transcribing: 0,
  filesArriving: 0,
  voice: false,
  telegram: false,
  limits: { maxMessageChars: 16_000, maxFileBytes: 20_971_520 },
  messages: [QUESTION, ANSWER],
  olderCursor: null,
};

const ATTENTION_ITEM = {
  id: '42',
  kind: 'handed_over',
  subject: `conversation:${CONVERSATION_ID}`,
  conversationId: CONVERSATION_ID,
  jobId: null,
  reason: 'The candidate asked for a person.',
  createdAt: '2026-11-25T09:40:00.000Z',
  closedAt: null,
  closedBy: null,
  under: null,
  itemCount: 0,
  resolution: null,
  isReplayable: false,
  about: {
    candidate: 'Ada Lovelace',
    vacancy: 'senior-backend-engineer',
    vacancyTitle: 'Senior Backend Engineer (Payments)',
    language: 'en',
    channel: 'web',
    status: 'handed_over',
    owner: 'asked',
    openQuestion: 'Which system that you built are you proud of?',
    candidateQuestion: null,
  },
  claim: {
    heldBy: 'user Nora Lindqvist',
    since: '2026-11-25T09:41:00.000Z',
    until: '2026-11-25T09:58:30.000Z',
  },
};

const LINK_KEY = 'S3a1oYh0aP0rJm1cGqv0Gd2rX8m5lq7cYw4bTzN6uEk';

const IMPORT = {
  id: '019aa3d0-1c44-7f10-9b02-6a5d3c2e1f00',
  vacancy: 'senior-backend-engineer',
  state: 'running',
  rows: 2,
  created: 1,
  refused: 1,
  waiting: 0,
  createdAt: '2026-11-25T09:20:00.000Z',
  finishedAt: null,
};

const IMPORTED_ROW = {
  row: 1,
  line: 2,
  state: 'created',
  externalId: 'crm-17',
  candidateId: '019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51',
  invitationId: '019aa3d0-2b11-7c0d-a3f2-5e4d3c2b1a09',
  problems: [],
  link: {
    web: 'https://interviews.example.org/i/Zr4nq8Yt2LsW6vKd0PbX1mHcQa7uEo9d',
    telegram: 'https://t.me/harbourline_bot?start=Zr4nq8Yt2LsW6vKd0PbX1mHcQa7uEo9d',
    pin: '1234-5678-9012',
  },
};

const REFUSED_ROW = {
  row: 2,
  line: 3,
  state: 'refused',
  externalId: 'crm-18',
  candidateId: null,
  invitationId: null,
  problems: [
    {
      code: 'name_invalid',
      column: 'name',
      en: '"name" is not a name: it has no letters, or it is an address.',
      ru: '«name» — не имя: в нём нет букв, или это адрес.',
    },
  ],
  link: null,
};

/** As the stream sends it: a row's number is its id, in the last line. */
const IMPORT_EVENTS = `event: progress
data: ${JSON.stringify(IMPORT)}

event: row
data: ${JSON.stringify({ ...IMPORTED_ROW, link: null })}
id: 1

event: finish
data: ${JSON.stringify({ ...IMPORT, state: 'finished', finishedAt: '2026-11-25T09:20:03.000Z' })}

`;

const TRANSCRIPT_LINE = {
  id: ANSWER_ID,
  seq: 3,
  number: 2,
  role: 'user',
  channel: 'web',
  text: 'A ledger that settles two million payments a day.',
  at: '2026-11-25T09:31:03.115Z',
  editedAt: null,
  amendsSeq: null,
  amendsNumber: null,
  isPartial: false,
  isFromPerson: false,
  author: null,
  repliesTo: { number: 1, quote: 'What have you built that you are proud of?' },
  attachment: null,
  voice: null,
  file: null,
  label: { name: 'answer', question: 1, corrects: null, touches: [{ question: 3, askedIn: 9 }] },
  origin: null,
  touchedIn: null,
};

const KEY = {
  id: '019aa3c0-11d2-7e44-a5a0-7d0c4f1b9e32',
  name: 'crm',
  scopes: ['interviews:read', 'attention:read'],
  vacancies: ['backend-engineer'],
  state: 'live',
  createdAt: '2026-11-02T08:15:00.000Z',
  createdBy: 'command line',
  expiresAt: '2026-12-31T00:00:00.000Z',
  usedAt: '2026-11-25T09:30:00.000Z',
  revokedAt: null,
};

const VACANCY = {
  slug: 'senior-backend-engineer',
  title: 'Senior Backend Engineer (Payments)',
  company: 'Harbourline',
  language: 'en',
  minutes: 20,
  questions: 8,
  state: 'open',
  closedAt: null,
  openLink: 'https://interviews.example.org/i/OtB9uPmOEQ6YHoahx3bev5ocSwKS21Oq',
  logo: null,
};

const VACANCY_VERSION = {
  version: '1f5c2a9d8b7e46c3a0d1e2f3a4b5c6d7',
  madeAt: '2026-11-24T15:02:11.000Z',
  madeBy: 'user Nora Lindqvist',
  isCurrent: true,
};

const VACANCY_CHECK = {
  slug: 'night-baker',
  title: 'Night Baker',
  company: 'Harbourline',
  language: 'en',
  minutes: 5,
  replyWithinDays: 3,
  greeting: { en: 'Hello, and welcome.' },
  closing: { en: 'Thank you, that was all.' },
  questions: 1,
  plan: [
    {
      id: 'last',
      kind: 'open',
      mustAsk: true,
      text: { en: 'What did you bake last?' },
      rubric: 'A bread, and how it was made.',
      criteria: [{ name: 'answer', weight: 100, anchors: null }],
      facts: [],
      followUps: 0,
    },
  ],
};

const INVITATION = {
  id: '019aa3d0-2b11-7c0d-a3f2-5e4d3c2b1a09',
  vacancy: 'senior-backend-engineer',
  candidate: {
    id: '019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51',
    name: 'Ada Lovelace',
    contact: 'ada@example.org',
  },
  state: 'invited',
  interviewId: null,
  interviewState: null,
  isLatest: true,
  externalId: 'crm-17',
  metadata: { source: 'careers page' },
  createdAt: '2026-11-25T09:20:00.000Z',
  validUntil: '2026-12-09T09:20:00.000Z',
};

const NEW_INVITATION = { ...INVITATION, link: IMPORTED_ROW.link };

const INTERVIEW = {
  id: CONVERSATION_ID,
  state: 'finished',
  vacancy: 'senior-backend-engineer',
  candidate: {
    id: '019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51',
    name: 'Ada Lovelace',
    contact: 'ada@example.org',
  },
  externalId: 'crm-17',
  metadata: { source: 'careers page' },
  language: 'en',
  channel: 'web',
  openedAt: '2026-11-25T09:29:40.000Z',
  updatedAt: '2026-11-25T09:52:40.870Z',
  seenAt: '2026-11-25T09:52:31.108Z',
  waits: { itemId: '41', kind: 'question', since: '2026-11-25T09:50:02.417Z' },
  progress: { question: 8, of: 8, unanswered: [5] },
};

export const API_EXAMPLES: Readonly<Record<string, unknown>> = {
  ...PEOPLE_EXAMPLES,
  ...RECORDS_EXAMPLES,
  VacancyDto: VACANCY,
  VacancyListDto: { items: [{ ...VACANCY, interviews: { running: 2, waiting: 1, finished: 14 } }] },
  VacancyVersionListDto: { items: [VACANCY_VERSION] },
  VacancyVersionDto: { ...VACANCY_VERSION, file: 'slug: night-baker\nlanguage: en\n' },
  PreviewDto: {
    link: 'https://interviews.example.org/i/Xc5m2Kq8Rt1VbN7yLs4Wd9EhPu3ZoAfG',
    expiresAt: '2026-11-26T09:30:00.000Z',
  },
  DocumentListDto: { items: [{ name: 'knowledge/stack.en.md', passages: 4 }] },
  VacancyCheckDto: VACANCY_CHECK,
  InvitationDto: INVITATION,
  InvitationListDto: { items: [INVITATION], cursor: null },
  NewInvitationDto: NEW_INVITATION,
  InvitationCreateDto: {
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    metadata: { source: 'careers page' },
  },
  ReissueDto: { validUntil: '2026-12-31' },
  InterviewListDto: { items: [INTERVIEW], cursor: null },
  WaitingInterviewListDto: { items: [INTERVIEW], count: 1 },
  InterviewActionDto: { action: 'remind', interviewIds: [CONVERSATION_ID] },
  InterviewActionResultDto: {
    results: [{ refusal: null, at: '2026-11-25T10:00:10.000Z', link: null }],
  },
  InterviewDto: {
    ...INTERVIEW,
    completedAt: '2026-11-25T09:52:40.870Z',
    objectedAt: null,
    coverage: { counted: 'must-ask', of: 6, asked: 6, answered: 6 },
    questions: [
      { id: 'proud-of', text: QUESTION.text, kind: 'open', mustAsk: true, state: 'answered' },
    ],
  },
  ...JUDGING_EXAMPLES,
  KeyDto: KEY,
  KeyListDto: { keys: [KEY] },
  NewKeyDto: { ...KEY, usedAt: null, token: `colloquy_${'Example0'.repeat(5)}Key` },
  KeyCreateDto: {
    name: 'crm',
    scopes: ['interviews:read', 'attention:read'],
    vacancies: ['backend-engineer'],
    expiresAt: '2026-12-31T00:00:00.000Z',
  },
  InviteDto: {
    kind: 'open',
    ...SUBJECT,
    isPreview: false,
    state: 'open',
    disclosure: null,
  },
  BeginBody: { invite: 'OtB9uPmOEQ6YHoahx3bev5ocSwKS21Oq' },
  SessionDto: {
    conversationId: CONVERSATION_ID,
    sessionToken: 'k3Wq0sQy5mPZ8d1uVbT7cXnA2rLhJ6fE',
  },
  ConversationDto: CONVERSATION,
  ReceiptDto: {
    state: 'ready',
    questions: [
      {
        question: 'What have you built that you are proud of?',
        quotes: ['a ledger that settles two million payments a day'],
      },
    ],
  },
  TranscriptPageDto: { messages: [QUESTION, ANSWER], olderCursor: null },
  ConsentBody: { version: DISCLOSURE.version, accepted: true },
  ProfileBody: { name: 'Ada Lovelace', contact: 'ada@example.org' },
  MessageBody: { id: 'message-1', text: 'A ledger that settles two million payments a day.' },
  AcceptedDto: {
    id: 'message-1',
    messageId: ANSWER_ID,
    seq: 3,
    dueAt: '2026-11-25T09:31:07.115Z',
  },
  ActivityBody: { type: 'typing' },
  DoneBody: { lastMessageId: 'message-1' },
  DueDto: { dueAt: '2026-11-25T09:31:04.115Z' },
  EmptyDto: {},
  ContinuationDto: {
    url: 'https://t.me/harbourline_bot?start=Zr4nq8Yt2LsW6vKd0PbX1mHc',
    expiresAt: '2026-11-26T09:31:00.000Z',
  },
  CorrectionBody: { text: 'A ledger that settles two million payments a day, in Kotlin.' },
  CorrectedDto: { result: 'edited', dueAt: '2026-11-25T09:31:07.115Z' },
  ForgetBody: { confirm: 'erase' },
  ChatBody: {
    id: CONVERSATION_ID,
    messages: [
      {
        id: 'message-1',
        role: 'user',
        parts: [{ type: 'text', text: 'A ledger that settles two million payments a day.' }],
      },
    ],
    trigger: 'submit-message',
  },
  AttentionListDto: { items: [ATTENTION_ITEM] },
  AttentionItemDto: ATTENTION_ITEM,
  AttentionCloseDto: { by: 'Nora', resolution: 'Called the candidate.' },
  AttentionReplyDto: { text: 'Hello Ada, this is Nora of the hiring team. How can I help?' },
  AttentionReturnDto: { by: 'Nora' },
  AttentionAnswerDto: { text: 'Two days a week are from home.' },
  AttentionClaimDto: {},
  AcceptedImportDto: {
    ...IMPORT,
    linkKey: LINK_KEY,
    columns: [
      { header: 'name', as: 'name' },
      { header: 'id', as: 'externalId' },
    ],
  },
  ImportDto: IMPORT,
  ImportRowsDto: { items: [IMPORTED_ROW, REFUSED_ROW], cursor: null },
  ErasedDto: { isFound: true, conversations: 1, messages: 17 },
  FileListDto: {
    items: [
      {
        messageId: ANSWER_ID,
        receivedAt: '2026-11-25T09:33:00.000Z',
        channel: 'web',
        state: 'kept',
        name: 'portfolio.pdf',
        mimeType: 'application/pdf',
        sizeBytes: 482_113,
        needsPassword: false,
        problem: null,
      },
    ],
  },
  VoiceListDto: {
    items: [
      {
        messageId: ANSWER_ID,
        receivedAt: '2026-11-25T09:33:00.000Z',
        channel: 'telegram',
        state: 'heard',
        mimeType: 'audio/ogg',
        durationS: 41.5,
        sizeBytes: 166_400,
        hasAudio: true,
        transcript: 'A ledger that settles two million payments a day.',
        problem: null,
      },
    ],
    olderCursor: null,
  },
  TranscriptDto: {
    conversationId: CONVERSATION_ID,
    language: 'en',
    company: 'Harbourline',
    vacancy: 'Senior Backend Engineer (Payments)',
    candidate: { name: 'Ada Lovelace', contact: 'ada@example.org' },
    externalId: 'crm-17',
    metadata: { source: 'careers page' },
    status: 'completed',
    beganAt: '2026-11-25T09:30:05.002Z',
    completedAt: '2026-11-25T09:52:40.870Z',
    coverage: { counted: 'must-ask', of: 6, asked: 6, answered: 6 },
    lines: [TRANSCRIPT_LINE],
    olderCursor: null,
  },
};

const STATE = {
  status: 'active',
  owner: 'model',
  interviewStep: 1,
  progress: { question: 1, of: 8, unanswered: [] },
  hasBuffer: true,
  dueAt: '2026-11-25T09:31:07.115Z',
  dueInMs: 3500,
  replying: false,
  transcribing: 0,
  filesArriving: 0,
};

/** An example of the data of each event. */
export const EVENT_EXAMPLES = {
  hello: { conversationId: CONVERSATION_ID, lastSeq: 2, ...STATE },
  state: STATE,
  message: ANSWER,
  part: { messageId: QUESTION_ID, type: 'agent', agent: 'technical' },
  start: { messageId: QUESTION_ID, turnSeq: 118, epoch: 1 },
  delta: { messageId: QUESTION_ID, offset: 0, text: 'Thank you.' },
  finish: { messageId: QUESTION_ID, seq: 4, createdAt: '2026-11-25T09:31:12.480Z' },
  typing: { from: 'team' },
  ended: { reason: 'session_ended' },
} as const;

/** The beginning of `/events` while a reply is written. */
const EVENTS = `event: delta
data: ${JSON.stringify(EVENT_EXAMPLES.delta)}
id: 118.1.10.3

`;

/** A whole reply as the AI SDK reads it. */
const UI_MESSAGE_STREAM = [
  { type: 'start', messageId: QUESTION_ID },
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta: 'Thank you.' },
  { type: 'text-end', id: 'text' },
  { type: 'finish', finishReason: 'stop' },
]
  .map((part) => `data: ${JSON.stringify(part)}\n\n`)
  .join('');

/** An example of a stream, by its path. */
export function streamExample(path: string): string {
  if (path.includes('/invitation-imports/')) return IMPORT_EVENTS;
  return path.startsWith('/api/chat') ? UI_MESSAGE_STREAM : EVENTS;
}

/** An example of each parameter, by its name; `id` means something else on each path. */
export function parameterExample(path: string, name: string): unknown {
  if (path.includes('/invitation-imports/') && name in OF_IMPORTS) return OF_IMPORTS[name];
  if (path.includes('/admin/candidates') && name in OF_CANDIDATES) return OF_CANDIDATES[name];
  if (/\/v1\/interviews\b/.test(path) && name in OF_INTERVIEWS) return OF_INTERVIEWS[name];
  if (/\/v1\/invitations\b/.test(path) && name in OF_INVITATIONS) return OF_INVITATIONS[name];
  if (path.startsWith('/api/v1/team/oidc') && name in OF_SIGN_ON) return OF_SIGN_ON[name];
  if (name === 'name' && path.includes('/documents/')) return 'stack.en.md';
  if (name === 'id' && path.includes('/attention/')) return '42';
  if (name === 'id' && path.includes('/correction')) return 'message-1';
  if (name === 'id' && path.includes('/decisions/')) return DECISION.id;
  if (name === 'if-match' && path.endsWith('/decisions')) return '"7"';
  if (name === 'id' && path.includes('/keys/')) return KEY.id;
  if (name === 'id' && /\/v1\/(users|team)\//.test(path)) return personId(path);
  if (name === 'id' && /\/(voice|files)$/.test(path)) return 'message-1';
  return PARAMETERS[name];
}

const OF_IMPORTS: Readonly<Record<string, unknown>> = {
  id: IMPORT.id,
  state: 'refused',
  'last-event-id': '118',
  lastEventId: '118',
};

const OF_INTERVIEWS: Readonly<Record<string, unknown>> = {
  state: 'finished',
  ids: CONVERSATION_ID,
  commentId: '019aa3d5-0c42-7b10-9a55-3e2d1c0b9a88',
  cursor: CONVERSATION_ID,
};

const OF_INVITATIONS: Readonly<Record<string, unknown>> = {
  id: INVITATION.id,
  state: 'invited',
  cursor: INVITATION.id,
};

const OF_SIGN_ON: Readonly<Record<string, unknown>> = {
  returnTo: '/console/interviews',
  confirm: 'true',
  state: 'Zr4nq8Yt2LsW6vKd0PbX1mHcQa7uEo9d',
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  error: 'access_denied',
};

const PARAMETERS: Readonly<Record<string, unknown>> = {
  slug: 'senior-backend-engineer',
  vacancy: 'senior-backend-engineer',
  text: 'Lovelace',
  reviewer: 'Nora Lindqvist',
  questionId: 'proud-of',
  only: 'own',
  counts: 'interviews',
  version: VACANCY_VERSION.version,
  'if-match': '"5b1f0c9de2a74c6f8d3b2a1c0e9f8d7b"',
  cursor: '100',
  'x-link-key': LINK_KEY,
  'idempotency-key': 'spring-hiring-1',
  under: '42',
  id: CONVERSATION_ID,
  token: 'OtB9uPmOEQ6YHoahx3bev5ocSwKS21Oq',
  messageId: ANSWER_ID,
  before: 101,
  limit: 50,
  state: 'open',
  afterId: '41',
  kind: 'handed_over',
  beforeId: '118',
  actor: 'key crm',
  action: 'transcript.read',
  subjectId: CONVERSATION_ID,
  since: '2026-11-01T00:00:00Z',
  until: '2026-12-01T00:00:00Z',
  duration: 41.5,
  format: 'csv',
  language: 'en',
  separator: 'semicolon',
  name: 'portfolio.pdf',
  'last-event-id': '118.1.10.3',
  lastEventId: '118.1.10.3',
};
