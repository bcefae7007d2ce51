import type { Play } from './ways';

export interface StoredLine {
  readonly id: string;
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly external_id: string;
  readonly question_context: string | null;
  readonly question_at: number | null;
  readonly answer_id: number | null;
  readonly turn_id: number | null;
  readonly content_type: string;
  readonly text: string;
  readonly partial: boolean;
  readonly from_person: boolean;
  readonly cleared_at: string | null;
}

interface StoredTurn {
  readonly id: number;
  readonly answer_id: number;
  readonly state: string;
  readonly error: string | null;
  readonly verdict: string | null;
  readonly merged_into: number | null;
  readonly reply_message_id: string;
  readonly reply_text: string | null;
  readonly partial: boolean;
  readonly stop_requested_at: string | null;
}

interface PlanState {
  readonly openQuestion: string | null;
  readonly isLeaving: boolean;
  readonly isCallingPerson: boolean;
  readonly abuses: number;
  readonly remindFrom: string | null;
  readonly settled: readonly { readonly id: string }[];
  readonly notAsked: readonly { readonly id: string }[];
}

/** Everything that is stored about one interview. */
export interface Stored {
  readonly status: 'new' | 'active' | 'completed' | 'withdrawn' | 'handed_over' | 'expired';
  readonly owner: 'model' | 'asked' | 'person';
  readonly language: string;
  readonly state: PlanState;
  readonly consent_accepted: boolean | null;
  readonly objected: boolean;
  readonly interview_step: number;
  readonly last_seq: number;
  readonly sent_messages: number;
  readonly takeovers: number;
  readonly metadata: { readonly lastQuestionAsked?: string | null };
  readonly lines: readonly StoredLine[];
  readonly turns: readonly StoredTurn[];
  readonly jobs: readonly { readonly queue: string; readonly state: string; readonly id: number }[];
  /** The open items. */
  readonly items: readonly { readonly kind: string; readonly subject: string }[];
  /** Requests to a model for its replies. */
  readonly requests: number;
}

export async function storedOf({ app, id }: Play): Promise<Stored> {
  const { stored } = await app.one<{ stored: Stored }>(
    `select to_jsonb(c) || jsonb_build_object(
       'objected', c.automated_processing_objected_at is not null,
       'lines', (select coalesce(jsonb_agg(to_jsonb(m) order by m.seq), '[]') from message m
         where m.conversation_id = c.id and m.role <> 'event'),
       'turns', (select coalesce(jsonb_agg(to_jsonb(t) order by t.id), '[]') from turn t
         where t.conversation_id = c.id),
       'jobs', (select coalesce(jsonb_agg(jsonb_build_object(
           'id', j.id, 'queue', j.queue, 'state', j.state) order by j.id), '[]') from job j
         where j.key = c.id::text or j.key in (
           select m.id::text from message m where m.conversation_id = c.id)),
       'items', (select coalesce(jsonb_agg(jsonb_build_object(
           'kind', a.kind, 'subject', a.subject) order by a.id), '[]') from attention a
         where a.conversation_id = c.id and a.closed_at is null),
       'requests', (select count(*) from llm_attempt a join llm_request r on r.id = a.request_id
         join turn t on r.subject = 'flush:' || t.answer_id where t.conversation_id = c.id)
     ) as stored
     from conversation c where c.id = $1`,
    [id],
  );
  return stored;
}

const STATUS = {
  new: 'n',
  active: 'a',
  completed: 'f',
  withdrawn: 'w',
  handed_over: '',
  expired: 'e',
};
const OWNER = { model: '', asked: 'h', person: 'p' };

/**
 * How an interview stands, in the short form of the tables:
 *
 *   n before consent · a asks · l asked whether to stop · c asked whether to call a person
 *   f finished · w withdrawn · e expired
 *   h waits for a person · p a person has it · 1 to 4 the open question
 *   x warned · z goes on later · o objected · r reminded · R in Russian · ! something was refused
 */
export function standingOf(
  { status, owner, language, state, objected, lines }: Stored,
  { refused }: Play,
): string {
  const { openQuestion, isLeaving, isCallingPerson, abuses, remindFrom } = state;
  const asking = isLeaving ? 'l' : isCallingPerson ? 'c' : 'a';
  return [
    status === 'active' ? asking : STATUS[status],
    OWNER[owner],
    openQuestion?.slice(1),
    'x'.repeat(abuses),
    remindFrom !== null && 'z',
    objected && 'o',
    lines.some((line) => line.external_id.startsWith('reminder:')) && 'r',
    language === 'ru' && 'R',
    refused.length > 0 && '!',
  ]
    .filter(Boolean)
    .join('');
}
