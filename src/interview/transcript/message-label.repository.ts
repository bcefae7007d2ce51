import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type { InterviewPlan } from '../../vacancies';
import type { TurnDecision, Observations } from '../plan/verdicts';

/** What each message of a candidate is. The caller of a write holds the conversation's lock. */
@Injectable()
export class MessageLabelRepository {
  /**
   * Stores the labels of one answer; an earlier label of a message is replaced. A correction without a
   * question takes the question of the message that it corrects. Only messages of the conversation count.
   */
  async set(tx: Tx, conversationId: string, labels: readonly MessageLabel[]): Promise<void> {
    if (labels.length === 0) return;
    await tx.query(
      `insert into message_label (message_id, label, question_id, corrects, touches)
       select m.id, l.label, coalesce(l."questionId", case when c.id is not null then
           coalesce(known.question_id, c.question_context) end),
         c.id, coalesce(array(select jsonb_array_elements_text(l.touches)), '{}')
       from jsonb_to_recordset($2::jsonb)
         as l (seq int, label text, "questionId" text, "correctsSeq" int, touches jsonb)
       join message m on m.conversation_id = $1 and m.seq = l.seq and m.role = 'user'
       left join message c on c.conversation_id = $1 and c.seq = l."correctsSeq" and c.role = 'user'
       left join message_label known on known.message_id = c.id
       on conflict (message_id) do update set label = excluded.label,
         question_id = excluded.question_id, corrects = excluded.corrects, touches = excluded.touches`,
      [conversationId, JSON.stringify(labels)],
    );
  }

  /** The labels of those of these messages that have one. */
  listOf(tx: Tx, messageIds: readonly string[]): Promise<StoredLabel[]> {
    return tx.query<StoredLabel>(
      `select l.message_id as "messageId", l.label, l.question_id as "questionId",
         c.seq as "correctsSeq"
       from message_label l left join message c on c.id = l.corrects
       where l.message_id = any($1::uuid[])`,
      [messageIds],
    );
  }
}

/**
 * What a message of an answer is. `answer`: to the question that waited; `addition` and `correction`: to an
 * earlier answer; `question`: the candidate asks something; `aside`: none of these.
 */
export const MESSAGE_LABELS = ['answer', 'addition', 'correction', 'question', 'aside'] as const;
export type LabelName = (typeof MESSAGE_LABELS)[number];

/** The label of one message, named by its sequence number. */
export interface MessageLabel {
  readonly seq: number;
  readonly label: LabelName;
  /** The question that it belongs to; null for questions, asides and what belongs to none. */
  readonly questionId: string | null;
  /** The earlier message of the candidate that it corrects. */
  readonly correctsSeq: number | null;
  /** Later questions that it touches on. */
  readonly touches: readonly string[];
}

/** The label of a stored message. */
export interface StoredLabel {
  readonly messageId: string;
  readonly label: LabelName;
  readonly questionId: string | null;
  /** The sequence number of the message that it corrects. */
  readonly correctsSeq: number | null;
}

/** The facts of a turn that its labels are checked against. */
export interface LabelledTurn {
  readonly plan: InterviewPlan;
  /** The question that waited; null: none did. */
  readonly waitingId: string | null;
  /** Questions that were settled before. */
  readonly settledIds: readonly string[];
  /** The messages of the answer. */
  readonly messages: readonly { readonly seq: number; readonly correctsSeq: number | null }[];
  /** Earlier messages of the candidate that a correction may name. */
  readonly earlierSeqs: readonly number[];
  readonly isAddendum: boolean;
}

/** What the verdict alone says of each message of its answer. */
const OF_VERDICT: Readonly<Record<NonNullable<TurnDecision['verdict']>, LabelName>> = {
  answered: 'answer',
  vague: 'answer',
  follow_up: 'answer',
  question: 'question',
  clarify: 'question',
  addition: 'addition',
  correction: 'correction',
  refusal: 'aside',
  aside: 'aside',
  off_topic: 'aside',
  abusive: 'aside',
  objection: 'aside',
  leave: 'aside',
  human: 'aside',
  later: 'aside',
};

/**
 * One label for each message of an answer: the model's where it is possible, else what the verdict says.
 * `written`: what the model wrote, such as "12 answer; 13 correction 9"; empty without a model. An entry with
 * a message, question or kind that does not exist is dropped; of two entries for a message the first counts.
 * An edit is always a correction of the message that was edited.
 */
export function labelsOf(
  turn: LabelledTurn,
  { verdict, about }: Pick<TurnDecision, 'verdict' | 'about'>,
  { written, touches = [] }: Pick<Observations, 'touches'> & { readonly written: string },
): MessageLabel[] {
  const own = entriesIn(written, turn);
  const later = touches.filter((id) => !turn.settledIds.includes(id) && id !== turn.waitingId);
  return turn.messages.map(({ seq, correctsSeq }): MessageLabel => {
    const label = labelOf(turn, verdict, about ?? null);
    const byDefault = {
      seq,
      label,
      questionId: questionOf(turn, label, about ?? null),
      correctsSeq: null,
      touches: [],
    };
    if (correctsSeq !== null) {
      return { ...byDefault, label: 'correction', questionId: about ?? null, correctsSeq };
    }
    const chosen = own.find((one) => one.seq === seq) ?? byDefault;
    return chosen.label === 'answer' ? { ...chosen, touches: later } : chosen;
  });
}

/** `3: answer`, `4) correction #2`, with single spaces: of a long run each length would be tried. */
const ENTRY = /^#?(\d{1,9}) ?[:.)-]? ?([a-z]+) ?#?(\d{1,9})?$/i;

/** The entries that name what exists. */
function entriesIn(written: string, turn: LabelledTurn): MessageLabel[] {
  return written.split(/[;\n]/).flatMap((entry) => {
    const [, n = '', name = '', target = ''] = ENTRY.exec(entry.trim().replace(/\s+/g, ' ')) ?? [];
    // A single message needs no list, so that the model may call it 1.
    const only = turn.messages.length === 1 ? turn.messages[0]?.seq : undefined;
    const seq = only !== undefined && n === '1' ? only : Number(n);
    const label = MESSAGE_LABELS.find((one) => one === name.toLowerCase());
    if (label === undefined || !turn.messages.some((one) => one.seq === seq)) return [];
    return entryOf(turn, seq, label, target === '' ? null : Number(target));
  });
}

function entryOf(
  turn: LabelledTurn,
  seq: number,
  label: LabelName,
  target: number | null,
): MessageLabel[] {
  const { plan, settledIds, waitingId } = turn;
  const bare = { seq, label, questionId: null, correctsSeq: null, touches: [] };
  switch (label) {
    case 'answer':
      return waitingId === null ? [] : [{ ...bare, questionId: waitingId }];
    case 'addition': {
      const id = target === null ? undefined : plan.questions[target - 1]?.id;
      return id !== undefined && settledIds.includes(id) ? [{ ...bare, questionId: id }] : [];
    }
    case 'correction': {
      const isEarlierPart = turn.messages.some((one) => one.seq === target && target < seq);
      const exists = target !== null && (isEarlierPart || turn.earlierSeqs.includes(target));
      return exists ? [{ ...bare, correctsSeq: target }] : [];
    }
    case 'question':
    case 'aside':
      return [bare];
  }
}

function labelOf(
  { isAddendum }: LabelledTurn,
  verdict: TurnDecision['verdict'],
  about: string | null,
): LabelName {
  const label = verdict === null ? null : OF_VERDICT[verdict];
  const isAdded = about !== null && (isAddendum || verdict === null);
  if (isAdded && (label === 'answer' || label === null)) return 'addition';
  return label ?? 'aside';
}

function questionOf(
  { waitingId }: LabelledTurn,
  label: LabelName,
  about: string | null,
): string | null {
  if (label === 'answer') return waitingId;
  return label === 'addition' || label === 'correction' ? about : null;
}
