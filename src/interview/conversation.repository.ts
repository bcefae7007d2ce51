import type { ChannelName } from '../channels';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DomainEvents } from '../common/events';
import { isUuid } from '../common/ids';
import type { Tx } from '../common/uow';
import { ConversationUnknownError, type NotOpen } from '../buffer';
import type { InterviewPlan } from '../vacancies';
import type { ConversationStatus } from './plan/verdicts';

/** Reads and writes conversations. A writer locks the row first. */
@Injectable()
export class ConversationRepository {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Does nothing when the invitation has a conversation: a link may be opened twice at once. Nor
   * when the candidate is gone.
   */
  async create(
    tx: Tx,
    conversation: {
      id: string;
      vacancyId: string;
      candidateId: string;
      invitationId: string | null;
      language: 'ru' | 'en';
      plan: InterviewPlan;
      state: unknown;
      isPreview?: boolean;
    },
  ): Promise<void> {
    const { id, vacancyId, candidateId, invitationId, language, plan, state } = conversation;
    const { isPreview = false } = conversation;
    await tx.query(
      `insert into conversation
         (id, vacancy_id, candidate_id, invitation_id, language, plan, state, is_preview)
       select $1::uuid, $2::uuid, c.id, $4::uuid, $5, $6::jsonb, $7::jsonb, $8
       from candidate c where c.id = $3 for key share
       on conflict (invitation_id) do nothing`,
      [id, vacancyId, candidateId, invitationId, language, json(plan), json(state), isPreview],
    );
    if (isPreview) return;
    const of = { interviewId: id, vacancyId };
    await this.events.publish(tx, 'team.changed', { kind: 'interview', id, ...of });
    if (invitationId === null) return;
    await this.events.publish(tx, 'team.changed', { kind: 'invitation', id: invitationId, ...of });
  }

  /**
   * The first statement of every commit that changes a conversation, its buffer or its turn:
   * one lock order, conversation before job. Returns undefined when there is none.
   */
  async lock(tx: Tx, id: string): Promise<ConversationRow | undefined> {
    const rows = await tx.query<Columns>(
      `select ${COLUMNS} from conversation where id = $1 for no key update`,
      [id],
    );
    return rows[0] && toRow(rows[0]);
  }

  /** As lock; throws ConversationUnknownError if there is no such conversation (any more). */
  async lockKnown(tx: Tx, id: string): Promise<ConversationRow> {
    return known(await this.lock(tx, id));
  }

  async find(tx: Tx, id: string): Promise<ConversationRow | undefined> {
    const rows = await tx.query<Columns>(`select ${COLUMNS} from conversation where id = $1`, [id]);
    return rows[0] && toRow(rows[0]);
  }

  /** As find; throws ConversationUnknownError. */
  async get(tx: Tx, id: string): Promise<ConversationRow> {
    return known(await this.find(tx, id));
  }

  /** The day by which the candidate is promised a reply, `YYYY-MM-DD`. */
  async replyDay(tx: Tx, id: string): Promise<string | null> {
    const [row] = await tx.query<{ day: string | null }>(
      `select metadata ->> 'replyBy' as day from conversation where id = $1`,
      [id],
    );
    return row?.day ?? null;
  }

  /** The conversations that began last, the newest first, without previews. */
  async latest(tx: Tx, limit: number): Promise<LatestConversation[]> {
    const rows = await tx.query<Columns & { created_at: Date }>(
      `select ${COLUMNS}, created_at from conversation where not is_preview
       order by id desc limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...toRow(row), createdAt: row.created_at }));
  }

  /** The interviews of a vacancy, the newest first, without previews. */
  async listOfVacancy(tx: Tx, vacancyId: string, limit: number): Promise<LatestConversation[]> {
    const rows = await tx.query<Columns & { created_at: Date }>(
      `select ${COLUMNS}, created_at from conversation where vacancy_id = $1 and not is_preview
       order by id desc limit $2`,
      [vacancyId, limit],
    );
    return rows.map((row) => ({ ...toRow(row), createdAt: row.created_at }));
  }

  /** The vacancies of a candidate's interviews. `candidateId` need not be a UUID. */
  async listVacancyIdsOf(tx: Tx, candidateId: string): Promise<string[]> {
    if (!isUuid(candidateId)) return [];
    const rows = await tx.query<{ id: string }>(
      'select distinct vacancy_id as id from conversation where candidate_id = $1',
      [candidateId],
    );
    return rows.map(({ id }) => id);
  }

  /** Ids with this end, the newest first. */
  async listIdsEndingWith(tx: Tx, end: string, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select id from conversation where id::text like '%' || $1 order by id desc limit $2`,
      [end, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** How many interviews have come how far, without previews. Reads the whole table. */
  async countStages(tx: Tx): Promise<Record<Exclude<FunnelStage, 'invited'>, number>> {
    const [row] = await tx.query<Record<Exclude<FunnelStage, 'invited'>, number>>(
      `select count(*)::int as opened,
         count(*) filter (where consent_accepted)::int as consented,
         count(*) filter (where sent_messages > 0)::int as first_answer,
         count(*) filter (where status = 'completed')::int as finished,
         count(*) filter (where status = 'handed_over' or owner <> 'model')::int as handed_over,
         count(*) filter (where status in ('withdrawn', 'declined'))::int as withdrawn,
         count(*) filter (where status = 'expired')::int as expired
       from conversation where not is_preview`,
      [],
    );
    if (row === undefined) throw new Error('the interviews were not counted');
    return row;
  }

  /** Those of these conversations that exist, in no order. */
  async findAll(tx: Tx, ids: readonly string[]): Promise<ConversationRow[]> {
    const rows = await tx.query<Columns>(
      `select ${COLUMNS} from conversation where id = any($1::uuid[])`,
      [ids],
    );
    return rows.map(toRow);
  }

  /** The candidate's interview for a vacancy, whichever invitation it began with. */
  async findOfCandidate(
    tx: Tx,
    vacancyId: string,
    candidateId: string,
  ): Promise<ConversationRow | undefined> {
    const rows = await tx.query<Columns>(
      `select ${COLUMNS} from conversation where vacancy_id = $1 and candidate_id = $2
       order by created_at limit 1`,
      [vacancyId, candidateId],
    );
    return rows[0] && toRow(rows[0]);
  }

  /** All that this candidate has begun. */
  async listOfCandidate(tx: Tx, candidateId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'select id from conversation where candidate_id = $1 order by id',
      [candidateId],
    );
    return rows.map(({ id }) => id);
  }

  /** Sets the candidate once it is known who they are. */
  async setCandidate(tx: Tx, id: string, candidateId: string): Promise<void> {
    await tx.query(`update conversation set candidate_id = $2 where id = $1`, [id, candidateId]);
  }

  async setStatus(tx: Tx, id: string, status: ConversationStatus): Promise<void> {
    await tx.query(
      `update conversation
       set status = $2, updated_at = coalesce($3::timestamptz, clock_timestamp())
       where id = $1`,
      [id, status, this.clock.databaseNow()],
    );
  }

  async setOwner(tx: Tx, id: string, owner: ConversationOwner): Promise<void> {
    await tx.query(
      `update conversation set owner = $2, takeovers = takeovers + ($2 = 'person')::int,
         updated_at = coalesce($3::timestamptz, clock_timestamp())
       where id = $1`,
      [id, owner, this.clock.databaseNow()],
    );
  }

  /** Stores the first objection to automated processing; it is never taken back by code. */
  async recordObjection(tx: Tx, id: string): Promise<void> {
    await tx.query(
      `update conversation set automated_processing_objected_at = coalesce(
         automated_processing_objected_at, $2::timestamptz, clock_timestamp())
       where id = $1`,
      [id, this.clock.databaseNow()],
    );
  }

  /** When the candidate objected to automated processing; null: never. Then nothing may be scored. */
  async objectedAt(tx: Tx, id: string): Promise<Date | null> {
    const [row] = await tx.query<{ at: Date | null }>(
      `select automated_processing_objected_at as at from conversation where id = $1`,
      [id],
    );
    return row?.at ?? null;
  }

  /** Those of these conversations whose candidate has objected to automated processing. */
  async listObjected(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ id: string }>(
      `select id from conversation
       where id = any($1::uuid[]) and automated_processing_objected_at is not null`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async setChannel(tx: Tx, id: string, channel: ChannelName): Promise<void> {
    await tx.query(`update conversation set channel = $2 where id = $1`, [id, channel]);
  }

  async setLanguage(tx: Tx, id: string, language: 'ru' | 'en'): Promise<void> {
    await tx.query(`update conversation set language = $2 where id = $1`, [id, language]);
  }

  /**
   * The caller holds the lock; a trigger notes after which message it was (`consent_seq`). `timeZone`: the
   * candidate's, as the browser reports it; without it the stored one stays.
   */
  async recordConsent(
    tx: Tx,
    id: string,
    consent: { version: string; accepted: boolean; timeZone?: string },
  ): Promise<void> {
    const { version, accepted, timeZone = null } = consent;
    await tx.query(
      `update conversation set consent_version = $2, consent_accepted = $3,
         consent_at = coalesce($4::timestamptz, clock_timestamp()),
         updated_at = coalesce($4::timestamptz, clock_timestamp()),
         time_zone = coalesce($5, time_zone)
       where id = $1`,
      [id, version, accepted, this.clock.databaseNow(), timeZone],
    );
  }

  /** The interview ends outside a turn. */
  async end(tx: Tx, id: string, to: { state: unknown; status: ConversationStatus }): Promise<void> {
    await tx.query(
      `update conversation
       set state = $2, status = $3, updated_at = coalesce($4::timestamptz, clock_timestamp())
       where id = $1`,
      [id, json(to.state), to.status, this.clock.databaseNow()],
    );
  }

  /** What a closed turn changes in the interview: plan state, status and the number of replies. */
  async advance(
    tx: Tx,
    id: string,
    to: { state: unknown; status: ConversationStatus; interviewStep: number },
  ): Promise<void> {
    await tx.query(
      `update conversation set state = $2, status = $3, interview_step = $4,
         updated_at = coalesce($5::timestamptz, clock_timestamp())
       where id = $1`,
      [id, json(to.state), to.status, to.interviewStep, this.clock.databaseNow()],
    );
  }
}

const COLUMNS = `id, vacancy_id, candidate_id, invitation_id, language, plan, status, owner, takeovers,
  interview_step, channel, agent, last_seq, state, consent_version, consent_accepted, consent_at,
  consent_seq, is_preview, why_not_open(status, consent_accepted) as not_open`;

/**
 * How far interviews come. `opened`: by an invitation or by a vacancy's open link, so there can be more
 * of them than of `invited`. `withdrawn`: also those who declined the disclosure.
 */
export const FUNNEL_STAGES = [
  'invited',
  'opened',
  'consented',
  'first_answer',
  'finished',
  'handed_over',
  'withdrawn',
  'expired',
] as const;

export type FunnelStage = (typeof FUNNEL_STAGES)[number];

/** One interview of one candidate. `plan` is the vacancy's plan as it was at the start. */
export interface ConversationRow {
  readonly id: string;
  readonly vacancyId: string;
  readonly candidateId: string;
  /** Null: the vacancy's open link. */
  readonly invitationId: string | null;
  readonly language: 'ru' | 'en';
  readonly plan: InterviewPlan;
  readonly status: ConversationStatus;
  readonly owner: ConversationOwner;
  /** How often a person took it over from the model. */
  readonly takeovers: number;
  readonly interviewStep: number;
  /** Where the candidate wrote last or came in; unsolicited messages are sent there. */
  readonly channel: ChannelName;
  /** Who spoke last. */
  readonly agent: string;
  readonly lastSeq: number;
  readonly state: unknown;
  readonly consent: { version: string; accepted: boolean; at: Date } | null;
  /** Why it takes no message of its candidate; null: it takes them. */
  readonly notOpen: NotOpen | null;
  /** The number of the last message before that. */
  readonly consentSeq: number;
  /** A colleague looks at the interview as a candidate: it is listed and counted nowhere. */
  readonly isPreview: boolean;
}

/**
 * Who replies: the model, or a person. `asked`: the candidate waits for a person, and no person has
 * written yet. `person`: one has, or has to decide how it goes on.
 */
export type ConversationOwner = 'model' | 'asked' | 'person';

interface Columns {
  id: string;
  vacancy_id: string;
  candidate_id: string;
  invitation_id: string | null;
  language: 'ru' | 'en';
  plan: InterviewPlan;
  status: ConversationStatus;
  owner: ConversationOwner;
  takeovers: number;
  interview_step: number;
  channel: ChannelName;
  agent: string;
  last_seq: number;
  state: unknown;
  consent_version: string | null;
  consent_accepted: boolean | null;
  consent_at: Date | null;
  consent_seq: number | null;
  is_preview: boolean;
  not_open: NotOpen | null;
}

export interface LatestConversation extends ConversationRow {
  readonly createdAt: Date;
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function known(row: ConversationRow | undefined): ConversationRow {
  if (row === undefined) throw new ConversationUnknownError('there is no such conversation');
  return row;
}

function toRow(columns: Columns): ConversationRow {
  const { consent_version: version, consent_accepted: accepted, consent_at: at } = columns;
  const isAnswered = version !== null && accepted !== null && at !== null;
  return {
    id: columns.id,
    vacancyId: columns.vacancy_id,
    candidateId: columns.candidate_id,
    invitationId: columns.invitation_id,
    language: columns.language,
    plan: columns.plan,
    status: columns.status,
    owner: columns.owner,
    takeovers: columns.takeovers,
    interviewStep: columns.interview_step,
    channel: columns.channel,
    agent: columns.agent,
    lastSeq: columns.last_seq,
    state: columns.state,
    consent: isAnswered ? { version, accepted, at } : null,
    consentSeq: columns.consent_seq ?? 0,
    isPreview: columns.is_preview,
    notOpen: columns.not_open,
  };
}
