import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type {
  AttentionExport,
  ConversationExport,
  ConversationFacts,
  DeliveryExport,
  FileExport,
  InvitationExport,
  LineExport,
  ModelRequestExport,
  ProfileExport,
  TurnExport,
  VoiceExport,
} from './personal-data-export';
import { type Recordings, RecordingRows } from './recordings';

/** A row of the conversation that it belongs to. */
type Of<Row> = Row & { readonly conversationId: string };

/** A line without what is read by itself: the audio of a voice, the content of a file. */
type LineRow = Omit<LineExport, 'voice' | 'file'> & {
  readonly messageId: string;
  readonly voice: Omit<VoiceExport, 'recording'> | null;
  readonly file: Omit<FileExport, 'content'> | null;
};

/**
 * Reads what is stored about a person, table by table. A passage of the company's documents is
 * left out of an event: it says nothing about the person; what was searched for stays.
 */
@Injectable()
export class ExportRows {
  constructor(private readonly recordings: RecordingRows) {}

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
         i.expires_at as "expiresAt", i.revoked_at as "revokedAt"
       from invitation i join vacancy v on v.id = i.vacancy_id
       where i.candidate_id = $1 order by i.created_at, i.id`,
      [candidateId],
    );
  }

  /** Oldest first. */
  async conversations(tx: Tx, candidateId: string): Promise<ConversationExport[]> {
    const found = await tx.query<ConversationFacts>(CONVERSATIONS, [candidateId]);
    const ids = found.map(({ id }) => id);
    const transcript = await this.of<LineRow>(tx, TRANSCRIPT, ids);
    const recordings = await this.recordings.of(tx, ids);
    const turns = await this.of<TurnExport>(tx, TURNS, ids);
    const modelRequests = await this.of<ModelRequestExport>(tx, MODEL_REQUESTS, ids);
    const deliveries = await this.of<DeliveryExport>(tx, DELIVERIES, ids);
    const attention = await this.of<AttentionExport>(tx, ATTENTION, ids);
    const sessions = await this.of<{ createdAt: Date }>(tx, SESSIONS, ids);
    return found.map((facts) => ({
      ...facts,
      transcript: transcript(facts.id).map((row) => lineOf(row, recordings)),
      turns: turns(facts.id),
      modelRequests: modelRequests(facts.id),
      deliveries: deliveries(facts.id),
      attention: attention(facts.id),
      sessions: sessions(facts.id),
    }));
  }

  private async of<Row>(
    tx: Tx,
    text: string,
    conversationIds: readonly string[],
  ): Promise<(conversationId: string) => Row[]> {
    const rows = await tx.query<Of<Row>>(text, [conversationIds]);
    return (id) =>
      rows
        .filter(({ conversationId }) => conversationId === id)
        .map(({ conversationId: _, ...row }) => row as Row);
  }
}

function lineOf({ messageId, voice, file, ...line }: LineRow, kept: Recordings): LineExport {
  const content = kept.get(messageId) ?? null;
  return {
    ...line,
    voice: voice === null ? null : { ...voice, recording: content },
    file: file === null ? null : { ...file, content },
  };
}

const CONVERSATIONS = `
select c.id, v.title as vacancy, v.company, c.language, c.status, c.owner, c.created_at as "createdAt",
  c.updated_at as "updatedAt",
  case when c.consent_at is not null then json_build_object('version', c.consent_version,
    'accepted', c.consent_accepted, 'at', c.consent_at) end as consent,
  c.interview_step as "interviewStep", c.agent, c.state as progress, c.metadata
from conversation c join vacancy v on v.id = c.vacancy_id
where c.candidate_id = $1 order by c.created_at, c.id`;

const TRANSCRIPT = `
select m.conversation_id as "conversationId", m.id as "messageId", m.seq, m.role, m.channel,
  m.external_id as "channelId", m.content_type as "contentType", m.text, m.received_at as "at",
  m.edited_at as "editedAt", a.seq as "amendsSeq", m.question_context as "questionId",
  m.turn_id as turn, m.before_reply as "beforeReply", m.partial as "isPartial",
  m.from_person as "isFromPerson", m.event - 'passages' as event, m.attachment,
  case when v.message_id is not null then jsonb_build_object(
    'type', v.mime_type, 'seconds', v.duration_s, 'bytes', v.size_bytes, 'heard', v.transcript)
  end as voice,
  case when f.message_id is not null then jsonb_build_object(
    'name', f.name, 'type', f.mime_type, 'bytes', f.size_bytes, 'state', f.state)
  end as file
from message m left join message a on a.id = m.amends left join voice v on v.message_id = m.id
left join file f on f.message_id = m.id
where m.conversation_id = any($1::uuid[]) order by m.conversation_id, m.seq`;

const TURNS = `
select conversation_id as "conversationId", id, state, channel,
  interview_step as "interviewStep", agent, verdict, decision, reply_text as "replyText",
  partial as "isPartial", error, started_at as "startedAt", answered_at as "answeredAt",
  completed_at as "completedAt"
from turn where conversation_id = any($1::uuid[]) order by id`;

const MODEL_REQUESTS = `
select u.conversation_id as "conversationId", u.id as turn, r.purpose, a.model,
  a.sent_at as "sentAt"
from turn u join llm_request r on r.flush_id = u.flush_id
join llm_attempt a on a.request_id = r.id
where u.conversation_id = any($1::uuid[]) order by a.id`;

const DELIVERIES = `
select d.conversation_id as "conversationId", d.kind, d.channel, d.chat, m.seq as "lineSeq",
  d.part, d.state, d.confirmed as "isConfirmed", d.sent_at as "sentAt"
from delivery d join message m on m.id = d.message_id
where d.conversation_id = any($1::uuid[]) order by d.id`;

const ATTENTION = `
select conversation_id as "conversationId", kind, reason, created_at as "createdAt",
  closed_at as "closedAt", resolution
from attention where conversation_id = any($1::uuid[]) order by id`;

const SESSIONS = `
select conversation_id as "conversationId", created_at as "createdAt"
from web_session where conversation_id = any($1::uuid[]) order by created_at, token_hash`;
