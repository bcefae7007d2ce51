import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import type { ConversationFacts, InvitationExport, ProfileExport } from './export-format';

/**
 * Reads what is stored about a person, table by table and page by page. Passages of the company's
 * documents are left out of events, because they are not about the person; the search query stays. What a
 * model wrote word for word is left out too: it may reason about the company's rubric, which is a secret of
 * the company. What came of it is there: verdict, reply, and in `scores` the readings with their reasons.
 */
@Injectable()
export class ExportRepository {
  async profile(tx: Tx, candidateId: string): Promise<ProfileExport | undefined> {
    const rows = await tx.query<ProfileExport>(
      `select name, contact, telegram_username as "telegramUsername", created_at as "createdAt"
       from candidate where id = $1`,
      [candidateId],
    );
    return rows[0];
  }

  invitations(tx: Tx, candidateId: string): Promise<InvitationExport[]> {
    return tx.query(
      `select v.title as vacancy, v.company, i.created_at as "createdAt",
         i.expires_at as "expiresAt", i.revoked_at as "revokedAt",
         i.external_id as "externalId", i.metadata
       from invitation i join vacancy v on v.id = i.vacancy_id
       where i.candidate_id = $1 order by i.created_at, i.id`,
      [candidateId],
    );
  }

  /** The candidate's interviews, oldest first. */
  conversations(
    tx: Tx,
    candidateId: string,
  ): Promise<{ readonly id: string; readonly language: 'ru' | 'en' }[]> {
    return tx.query(
      `select id, language from conversation where candidate_id = $1 order by created_at, id`,
      [candidateId],
    );
  }

  /** Undefined when the conversation no longer belongs to this candidate. */
  async facts(tx: Tx, of: ExportedConversation): Promise<ConversationFacts | undefined> {
    const rows = await tx.query<ConversationFacts>(CONVERSATION, [
      of.candidateId,
      of.conversationId,
    ]);
    return rows[0];
  }

  /** In the order of a conversation; `cursor`: of the page before. */
  async page(
    tx: Tx,
    { conversationId, ledgerKeys }: ExportedConversation,
    section: Section,
    cursor: string | null,
  ): Promise<ExportedPage> {
    const rows = await tx.query<PageRow>(`${STATEMENTS[section]} limit $3::int`, [
      conversationId,
      cursor,
      PAGE,
      ...(section === 'modelRequests' ? [ledgerKeys] : []),
    ]);
    return {
      rows: rows.map(rowOf),
      cursor: rows.length < PAGE ? null : (rows.at(-1)?.cursor ?? null),
    };
  }

  async content(tx: Tx, { messageId, isVoice }: KeptContent): Promise<Buffer | null> {
    const [row] = await tx.query<{ content: Buffer | null }>(
      `select bytes as content from ${isVoice ? 'voice' : 'file'} where message_id = $1`,
      [messageId],
    );
    return row?.content ?? null;
  }
}

/** Rows of a page: with the longest messages about 2 MB. */
const PAGE = 100;

/** The lists in a conversation's export, in the order of the file. */
export const SECTIONS = [
  'transcript',
  'turns',
  'modelRequests',
  'deliveries',
  'attention',
  'sessions',
  'continuations',
] as const;

export type Section = (typeof SECTIONS)[number];

export interface ExportedPage {
  readonly rows: readonly ExportedRow[];
  /** Cursor of the next page; null: this is the last one. */
  readonly cursor: string | null;
}

/** A row of a section. The audio of a voice message and the content of a file are read apart. */
export interface ExportedRow {
  /** The fields in the file; Dates become ISO 8601 in JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The recording or file of the line, if it is stored. */
  readonly kept: KeptContent | null;
}

interface KeptContent {
  readonly messageId: string;
  readonly bytes: number;
  readonly isVoice: boolean;
}

type PageRow = Record<string, unknown> & {
  readonly cursor: string;
  readonly messageId?: string;
  readonly keptBytes?: number | null;
  readonly isVoice?: boolean;
};

/** A page is read only while the conversation belongs to the candidate. */
export interface ExportedConversation {
  readonly candidateId: string;
  readonly conversationId: string;
  /** Under which rooms beside the interview asked a model about it. */
  readonly ledgerKeys: readonly string[];
}

function rowOf({
  cursor: _,
  messageId,
  keptBytes,
  isVoice = false,
  ...fields
}: PageRow): ExportedRow {
  const isKept = messageId !== undefined && typeof keptBytes === 'number';
  return { fields, kept: isKept ? { messageId, bytes: keptBytes, isVoice } : null };
}

const CONVERSATION = `
select c.id, v.title as vacancy, v.company, c.language, c.status, c.owner, c.created_at as "createdAt",
  c.updated_at as "updatedAt",
  case when c.consent_at is not null then json_build_object('version', c.consent_version,
    'accepted', c.consent_accepted, 'at', c.consent_at) end as consent,
  c.time_zone as "timeZone", c.automated_processing_objected_at as "automatedProcessingObjectedAt",
  c.interview_step as "interviewStep", c.agent, c.state as progress, c.metadata,
  json_build_object('messages', c.paced_messages, 'pauses', c.gaps,
    'typicalPauseSeconds', case when c.gaps > 0 then round((exp(c.gap_mean) / 1000)::numeric, 1) end,
    'spread', round(sqrt(c.gap_variance)::numeric, 2), 'quietTimeSeconds',
    (select array_agg(round(q.ms::numeric / 1000, 1) order by q.n)
     from unnest(c.quiet_ms) with ordinality as q (ms, n)))
    as "learnedQuietTime"
from conversation c join vacancy v on v.id = c.vacancy_id
where c.candidate_id = $1 and c.id = $2`;

const TRANSCRIPT = `
select m.seq::text as cursor, m.id as "messageId",
  octet_length(coalesce(v.bytes, f.bytes)) as "keptBytes", v.bytes is not null as "isVoice", m.seq, m.role, m.channel,
  m.external_id as "channelId", m.content_type as "contentType", m.text, m.received_at as "at",
  m.edited_at as "editedAt", m.typed_at as "typedAt", a.seq as "amendsSeq", m.question_context as "questionId",
  m.turn_id as turn, m.turn_id is not null and m.before_reply as "beforeReply", m.partial as "isPartial",
  m.from_person as "isFromPerson", m.event - 'passages' as event, m.attachment,
  case when v.message_id is not null then jsonb_build_object(
    'type', v.mime_type, 'seconds', v.duration_s, 'bytes', v.size_bytes, 'heard', v.transcript)
  end as voice,
  case when f.message_id is not null then jsonb_build_object(
    'name', f.name, 'type', f.mime_type, 'bytes', f.size_bytes, 'state', f.state,
    'needsPassword', f.needs_password) end as file,
  case when l.message_id is not null then jsonb_build_object('label', l.label,
    'questionId', l.question_id, 'correctsSeq', c.seq, 'touches', l.touches) end as label
from message m left join message a on a.id = m.amends left join voice v on v.message_id = m.id
  left join file f on f.message_id = m.id left join message_label l on l.message_id = m.id
  left join message c on c.id = l.corrects
where m.conversation_id = $1 and ($2::text is null or m.seq > $2::int) order by m.seq`;

const TURNS = `
select id::text as cursor, id, state, channel,
  interview_step as "interviewStep", agent, verdict, prompt, decision, reply_text as "replyText",
  partial as "isPartial", error, started_at as "startedAt", replied_at as "repliedAt",
  completed_at as "completedAt"
from turn where conversation_id = $1 and ($2::text is null or id > $2::bigint) order by id`;

/** The same keys of the ledger as in ErasureRepository.deleteLedger: what is erased is also shown. */
const MODEL_REQUESTS = `
select a.id::text as cursor, u.id as turn, r.purpose, a.model,
  a.sent_at as "sentAt", q.parameters, q.prompt_hash as "promptHash", q.input,
  q.input_hash as "inputHash"
from (
  select id, 'flush:' || answer_id as subject from turn where conversation_id = $1
  union all
  select turn_id, 'voice:' || id from message where conversation_id = $1 and content_type = 'VOICE'
  union all
  select null, unnest($4::text[])) u
join llm_request r on r.subject = u.subject
join llm_attempt a on a.request_id = r.id left join reply_request q on q.attempt_id = a.id
where $2::text is null or a.id > $2::bigint order by a.id`;

const DELIVERIES = `
select d.id::text as cursor, d.kind, d.channel, d.chat, m.seq as "lineSeq",
  d.part, d.state, d.confirmed as "isConfirmed", d.sent_at as "sentAt"
from delivery d join message m on m.id = d.message_id
where d.conversation_id = $1 and ($2::text is null or d.id > $2::bigint) order by d.id`;

const ATTENTION = `
select id::text as cursor, kind, reason, created_at as "createdAt",
  closed_at as "closedAt", resolution
from attention where conversation_id = $1 and ($2::text is null or id > $2::bigint) order by id`;

const SESSIONS = `
select created_at::text || '|' || token_hash as cursor, created_at as "createdAt"
from web_session
where conversation_id = $1 and ($2::text is null or (created_at, token_hash) >
  (split_part($2, '|', 1)::timestamptz, split_part($2, '|', 2)))
order by created_at, token_hash`;

/** The hash in the cursor stays out of the file. */
const CONTINUATIONS = `
select created_at::text || '|' || token_hash as cursor, created_at as "createdAt", channel,
  used_at as "usedAt", expires_at as "expiresAt"
from continuation
where conversation_id = $1 and ($2::text is null or (created_at, token_hash) >
  (split_part($2, '|', 1)::timestamptz, split_part($2, '|', 2)))
order by created_at, token_hash`;

/** $1: the conversation, $2: the cursor. */
const STATEMENTS: Readonly<Record<Section, string>> = {
  transcript: TRANSCRIPT,
  turns: TURNS,
  modelRequests: MODEL_REQUESTS,
  deliveries: DELIVERIES,
  attention: ATTENTION,
  sessions: SESSIONS,
  continuations: CONTINUATIONS,
};
