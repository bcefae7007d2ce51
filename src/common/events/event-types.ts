/**
 * Every domain event: what happened, published by one room for the others inside the transaction that made
 * it true. A payload holds ids and short values, never a candidate's words.
 */

interface Event<Handlers, Payload, Result = void> {
  readonly handlers: Handlers;
  readonly payload: Payload;
  readonly result: Result;
}

/** Exactly one handler. */
type One<Payload> = Event<'one', Payload>;
/** At least one handler; they run by their `order`. */
type Many<Payload> = Event<'many', Payload>;
/** At most one handler for each topic; the publisher names the topic. */
type ByTopic<Payload> = Event<'topic', Payload>;
/** A request with exactly one handler, which returns the result. */
type Ask<Payload, Result> = Event<'one', Payload, Result>;
/** A request to all handlers, possibly none. */
type Collect<Payload, Result> = Event<'any', Payload, Result>;

/** `later`: other messages of the chat may pass it. `never`: it says nothing true any more. */
export type NoticeTiming =
  { readonly kind: 'now' | 'never' } | { readonly kind: 'later'; readonly waitMs: number };

export interface DomainEvents {
  /**
   * Readers of the conversation must see something new: a message, a state, a running reply. The
   * server's handlers send no statement, because it is published inside commits of one statement
   * too; in a command, a handler sends a signal with the commit.
   */
  'conversation.changed': Many<{ readonly conversationId: string }>;
  /**
   * Before an erasure locks conversations: handlers take the locks that come before the
   * conversation's in the lock order.
   */
  'candidate.erasing': Collect<{ readonly candidateId: string }, void>;
  /** The conversations are locked and about to be deleted with all that belongs to the candidate. */
  'conversation.erased': Many<{
    readonly candidateId: string;
    readonly conversationIds: readonly string[];
  }>;
  /** What each room keeps about a candidate, for the export. `data` undefined: nothing. */
  'candidate.exported': Collect<
    { readonly candidateId: string; readonly conversationIds: readonly string[] },
    { readonly name: string; readonly data: unknown }
  >;

  /** Under which keys of the ledger (`llm_request.subject`) rooms beside the interview asked a model about these. */
  'ledger.keys': Collect<{ readonly conversationIds: readonly string[] }, readonly string[]>;

  /**
   * Records of this class that are older than `keptDays`, and whose candidate is on no legal hold. The room that
   * keeps them counts them, and deletes at most `limit` of them unless it is null. Each channel keeps its own
   * accounts that took part in no interview (class `account`).
   */
  'retention.due': Collect<
    { readonly class: string; readonly keptDays: number; readonly limit: number | null },
    { readonly count: number; readonly oldestAt: Date | null }
  >;

  /**
   * An interview changed: a message, a name, a withdrawal. Handlers ignore those that they do not
   * show.
   */
  'interview.changed': Many<{ readonly conversationIds: readonly string[] }>;
  'interview.finished': Many<{ readonly conversationId: string }>;
  /**
   * Something that the team's pages show has changed beside the conversation itself, of which
   * `conversation.changed` tells. The server's handlers send no statement; see there.
   */
  'team.changed': Many<TeamChange>;
  /** What a candidate may see of how their answers were read; null, or no handler: nothing. */
  'interview.receipt': Collect<{ readonly conversationId: string }, InterviewReceipt | null>;
  /**
   * The scorings of an interview, oldest first, as far as this reviewer may see them; no handler: none. What they
   * have to rate before is left out if `isPartial`, and otherwise refused. What is shown fixes their own ratings.
   */
  'scores.shown': Collect<
    {
      readonly conversationId: string;
      readonly reviewer: string | null;
      readonly isPartial: boolean;
    },
    readonly ShownScoring[]
  >;
  /**
   * The overall figure of the last scoring of each of these interviews, where the reviewer has rated everything of
   * it; an interview without one is left out. What is shown fixes their own ratings.
   */
  'scores.listed': Collect<
    { readonly conversationIds: readonly string[]; readonly reviewer: string },
    ReadonlyMap<string, number>
  >;
  /**
   * The answers of an interview as people rate them: the reviewer's own ratings, and those of others where the
   * reviewer has rated, which fixes their own. `isOnlyOwn`: nothing of others is shown, and nothing is fixed.
   */
  'ratings.shown': Ask<
    {
      readonly conversationId: string;
      readonly by: Reviewer;
      readonly isOnlyOwn: boolean;
    },
    readonly RatedQuestion[]
  >;
  /** A user rates the answer to a question by all of its criteria. False: this is stored already. */
  'rating.given': Ask<GivenRating, boolean>;
  /**
   * A file with all that is stored of a candidate's scores and ratings is about to be shown to this reviewer, whose
   * own ratings are fixed then. Answers that they have not rated and of which it tells something they do not rate
   * any more, or, if `hasToRate`, it is refused until they have.
   */
  'ratings.disclosed': Ask<
    { readonly candidateId: string; readonly by: Reviewer; readonly hasToRate: boolean },
    void
  >;
  /**
   * The comments on an interview as far as this user may see them. Those of others fix the user's own ratings of
   * what they are about. `isOnlyOwn`: nothing of others is shown, and nothing is fixed.
   */
  'comments.shown': Ask<
    { readonly conversationId: string; readonly by: Reviewer; readonly isOnlyOwn: boolean },
    ShownComments
  >;
  'comment.written': Ask<NewComment, StoredComment>;
  /** `text` null: the user deletes their own comment, and the result is null. */
  'comment.changed': Ask<
    {
      readonly conversationId: string;
      readonly id: string;
      readonly by: Reviewer;
      readonly text: string | null;
    },
    StoredComment | null
  >;
  /** A user decides about the candidate of an interview. The id of the decision. */
  'decision.made': Ask<NewDecision, string>;
  /** Decisions, the newest first, at most `limit`. */
  'decisions.listed': Collect<
    DecisionFilter & { readonly limit: number },
    readonly ListedDecision[]
  >;
  /** The newest decision about each of these candidates, if there is one. */
  'decisions.newest': Collect<
    Pick<DecisionFilter, 'vacancyIds'> & { readonly candidateIds: readonly string[] },
    readonly ListedDecision[]
  >;
  /**
   * The next file of the chain, about the candidate of a decision; null: there is no such decision. Under the
   * chain's lock until the commit, which gives the file its place.
   */
  'decision.exported': Collect<DecisionFilter & { readonly id: string }, ExportedFile | null>;
  /** Null: there is no such interview any more. */
  'interview.summary': Ask<{ readonly conversationId: string }, InterviewSummary | null>;

  /** A buffer grew older than its TTL without a reply. Under the conversation's lock. */
  'buffer.expired': One<{
    readonly answerId: string;
    readonly conversationId: string;
    /** Null when its workers crashed without storing an error. */
    readonly lastError: string | null;
  }>;

  /**
   * A notice is about to be sent for the first time: when may it be? Under the conversation's lock. No
   * handler, or no handler that objects: now.
   */
  'delivery.notice': Collect<
    { readonly conversationId: string; readonly messageId: string },
    NoticeTiming
  >;
  /** The last part of a turn's reply was sent. All `delivery.*` run under the conversation's lock. */
  'delivery.delivered': One<{ readonly conversationId: string; readonly turnId: string }>;
  /** It is unknown whether a part arrived, and only a person sends it again. It counts as sent. */
  'delivery.unconfirmed': One<{ readonly conversationId: string; readonly deliveryId: string }>;
  /** A part and those after it will not be sent. `error` is a code. */
  'delivery.failed': One<{
    readonly conversationId: string;
    readonly deliveryId: string;
    readonly error: string;
  }>;
  /** The candidate takes no messages of the channel; what was to be sent there is dead. */
  'delivery.blocked': One<{ readonly conversationId: string }>;
  /** The candidate takes messages again. */
  'delivery.unblocked': One<{ readonly conversationId: string }>;

  /** Something needs a person: one open item for each (kind, subject). */
  'attention.needed': One<{
    readonly kind: AttentionKind;
    /** What it is about, `prefix:id`, e.g. `job:17`, `delivery:5`, `conversation:<id>`. */
    readonly subject: string;
    readonly conversationId?: string | null;
    readonly jobId?: string | null;
    /** For the person; written by code, never a candidate's words. */
    readonly reason: string;
    /**
     * The subject of an item of the kind `model`, such as `model:malformed`. While that one is open, this
     * one is listed under it and has no alert of its own.
     */
    readonly under?: string | null;
    /** A person has made it and knows about it, so nobody is alerted. */
    readonly isKnown?: boolean;
  }>;
  /** No person is needed any more: the subject's open items are closed. */
  'attention.settled': One<{
    readonly subject: string;
    readonly resolution: string;
    /** The person who settled it; absent: code did. */
    readonly by?: string;
  }>;
  /**
   * A person replays an item: its work has to be done again. Runs in the commit that closes the item; a
   * handler that throws leaves it open. The topic is the prefix of the item's subject when
   * there is a handler for it, else the item's kind. Locks the conversation before a job.
   */
  'attention.replayed': ByTopic<{
    readonly id: string;
    readonly kind: AttentionKind;
    readonly subject: string;
    readonly conversationId: string | null;
    readonly jobId: string | null;
  }>;
}

/** What has changed, by ids alone. */
export interface TeamChange {
  /** `judgement`: a rating, a scoring or a decision. */
  readonly kind: 'interview' | 'attention' | 'invitation' | 'vacancy' | 'judgement';
  /**
   * Of the interview (also of a judgement), the attention item, the invitation or the import of invitations; the
   * slug of the vacancy.
   */
  readonly id: string;
  readonly interviewId: string | null;
  /** Null: the interview's, or it belongs to none. */
  readonly vacancyId: string | null;
}

/**
 * Why a person is needed.
 *
 *   dead         a job that used up its tries, or its claims by crashes
 *   waiting      a job that waits for long because its peer fails; it is still retried, and
 *                the item closes by itself when the job ends
 *   expired      an answer that grew too old without a reply
 *   unknown      a delivery that may have arrived or not
 *   blocked      a candidate who takes no messages of the channel any more
 *   handed_over  a candidate who asked for a person, was abusive twice, or wrote after their interview had
 *                expired
 *   silent       a candidate who was silent for days: the interview has expired
 *   objection    a candidate who objects to automated processing: nothing is scored
 *   braked       a run that was held back because it would have written unusually much
 *   unanalysed   an answer that was kept, but that no model could read
 *   question     a candidate's question that the vacancy's documents do not cover, or an adjustment that they
 *                ask for
 *   full         a conversation that had no room for a message; its candidate got a notice
 *   stalled      work that continues by itself, but makes no progress
 *   model        most requests to the model fail for one reason; closes by itself when they succeed again
 *   disputed     a score whose samples differ by more than one mark, or an answer without a usable rating
 *   letter       an adverse decision without the letter to its candidate that the law of a notice asks for
 */
export const ATTENTION_KINDS = [
  'dead',
  'waiting',
  'expired',
  'unknown',
  'blocked',
  'handed_over',
  'silent',
  'objection',
  'braked',
  'unanalysed',
  'question',
  'full',
  'stalled',
  'model',
  'disputed',
  'letter',
] as const;

export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** How much of an interview's plan was asked and answered; nothing of how good the answers are. */
export interface InterviewCoverage {
  /** Which questions are counted: all of them when the plan has no must-ask question. */
  readonly counted: 'must-ask' | 'all';
  readonly of: number;
  readonly asked: number;
  /** There is an answer to read. */
  readonly answered: number;
}

/** The passages of a candidate's own answers on which a rating rests. It holds no mark. */
export interface InterviewReceipt {
  /**
   * `reading`: the answers are being read, perhaps again after an addition; `ready`: additions and
   * corrections are still read; `decided`: a person has decided, and nothing is read any more.
   */
  readonly state: 'reading' | 'ready' | 'decided';
  /** In the order of the interview, with the passages that support its ratings. */
  readonly questions: { readonly question: string; readonly quotes: string[] }[];
}

/** A passage of a candidate's message, in UTF-16 units. */
interface QuotedPassage {
  readonly messageId: string;
  readonly start: number;
  readonly end: number;
}

/** What may be seen of one scoring. */
export interface ShownScoring {
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly questions: readonly {
    readonly id: string;
    readonly criteria: readonly {
      readonly name: string;
      /** Percent of the question. */
      readonly weight: number;
      readonly result: 'supported' | 'absent' | 'unscorable';
      /** From 1 to 5; null: there is none. */
      readonly mark: number | null;
      readonly quotes: readonly QuotedPassage[];
      readonly isDisputed: boolean;
    }[];
    readonly facts: readonly {
      readonly name: string;
      readonly value: 'yes' | 'no' | 'with_conditions' | 'unclear';
      readonly quotes: readonly QuotedPassage[];
    }[];
  }[];
  /** Ids of questions whose scores nobody may see yet. */
  readonly inShadow: readonly string[];
  /** Ids of questions that the reviewer has not rated. */
  readonly unrated: readonly string[];
  /** From 1 to 5; null while anything is missing. */
  readonly overall: number | null;
}

/** The user who rates or decides. The name is what is stored and shown. */
export interface Reviewer {
  readonly userId: string;
  readonly name: string;
}

/** What somebody gives an answer by one criterion. */
export interface CriterionMark {
  readonly criterion: string;
  /** From 1 to 5; null: the interview did not ask about it. */
  readonly mark: number | null;
  readonly note: string | null;
}

export interface GivenRating {
  readonly conversationId: string;
  readonly questionId: string;
  readonly by: Reviewer;
  /** One for each criterion of the question. */
  readonly marks: readonly CriterionMark[];
}

/** An answer as it is rated by people. */
export interface RatedQuestion {
  readonly id: string;
  readonly text: string;
  readonly rubric: string;
  /** Where to read: passages that a scoring quotes, or the whole messages. Empty: there is no answer. */
  readonly evidence: readonly QuotedPassage[];
  readonly criteria: readonly {
    readonly name: string;
    /** Percent of the question. */
    readonly weight: number;
    /** What each mark from 1 to 5 shows; null: the rubric says it. */
    readonly anchors: readonly string[] | null;
    readonly own: StoredMark | null;
    /** By name. Empty until the reviewer has rated the question. */
    readonly others: readonly (StoredMark & {
      readonly by: string;
      /** Their mark less the reviewer's; null: one of the two has none. */
      readonly difference: number | null;
    })[];
  }[];
  /** By each criterion, as the answer is now. */
  readonly isRated: boolean;
  /** Others' ratings were shown to the reviewer, who does not rate the answer any more. */
  readonly isFixed: boolean;
}

interface StoredMark {
  readonly mark: number | null;
  readonly note: string | null;
  readonly ratedAt: Date;
}

export interface NewComment {
  readonly conversationId: string;
  /** Null: on the whole interview. */
  readonly questionId: string | null;
  readonly by: Reviewer;
  readonly text: string;
}

/** What a user says to colleagues about an interview. */
export interface StoredComment {
  readonly id: string;
  readonly questionId: string | null;
  /** The name of the user. */
  readonly author: string;
  /** Whoever asks wrote it. */
  readonly isOwn: boolean;
  readonly text: string;
  readonly createdAt: Date;
  readonly editedAt: Date | null;
}

export interface ShownComments {
  /** Oldest first. */
  readonly comments: readonly StoredComment[];
  /** Ids of questions that the user has to rate before others' comments on them are shown. */
  readonly closed: readonly string[];
  /** The user has to rate everything before others' comments on the whole interview are shown. */
  readonly isClosed: boolean;
}

export interface NewDecision {
  readonly conversationId: string;
  readonly by: Reviewer;
  readonly reason: string;
  readonly isAdverse: boolean;
  /** The newest decision about the candidate that the user knew of; null: none. */
  readonly lastSeenId: string | null;
}

/** Which decisions are meant; what is left out does not matter. */
export interface DecisionFilter {
  readonly candidateId?: string | undefined;
  /** About candidates whose interviews and invitations are all for one of these; null: about all. */
  readonly vacancyIds: readonly string[] | null;
  /** About candidates with an interview for this vacancy. */
  readonly vacancyId?: string | undefined;
  readonly id?: string | undefined;
  /** Older than this one. */
  readonly before?: string | undefined;
}

/** A signed file, as `decision export` writes it. */
export interface ExportedFile {
  readonly candidateId: string;
  readonly text: string;
}

/** What a person decided about a candidate. */
export interface ListedDecision {
  readonly id: string;
  readonly candidateId: string;
  readonly decidedBy: string;
  readonly reason: string;
  readonly decidedAt: Date;
  /** It is against the candidate. */
  readonly isAdverse: boolean;
  /** Who first wrote the letter about it, and when; null: nobody has. */
  readonly letterBy: string | null;
  readonly letterAt: Date | null;
}

export interface InterviewSummary {
  readonly language: 'ru' | 'en';
  /** Null: the name is unknown. */
  readonly candidate: string | null;
  /** The vacancy's title. */
  readonly vacancy: string;
  /** The vacancy owner's Notion user id; null where the vacancy names none. */
  readonly ownerId: string | null;
  readonly coverage: InterviewCoverage;
  /** What the candidate did after the interview was finished. */
  readonly after: {
    /** Messages that added or corrected something. */
    readonly messages: number;
    readonly end: 'withdrawn' | 'handed_over' | null;
  };
}

export type EventName = keyof DomainEvents;
export type PayloadOf<Name extends EventName> = DomainEvents[Name]['payload'];
export type ResultOf<Name extends EventName> = DomainEvents[Name]['result'];
type NamesWith<Handlers> = {
  [Name in EventName]: DomainEvents[Name]['handlers'] extends Handlers ? Name : never;
}[EventName];
export type TopicEventName = NamesWith<'topic'>;
export type CollectEventName = NamesWith<'any'>;
/** Events with one handler, whose result the publisher gets. */
export type SingleEventName = NamesWith<'one'>;

/** How many handlers each event takes; the same as the types above, for the checks at boot. */
export const HANDLERS: {
  readonly [Name in EventName]: DomainEvents[Name]['handlers'];
} = {
  'conversation.changed': 'many',
  'candidate.erasing': 'any',
  'conversation.erased': 'many',
  'candidate.exported': 'any',
  'ledger.keys': 'any',
  'retention.due': 'any',
  'interview.changed': 'many',
  'interview.finished': 'many',
  'team.changed': 'many',
  'interview.receipt': 'any',
  'scores.shown': 'any',
  'scores.listed': 'any',
  'ratings.shown': 'one',
  'rating.given': 'one',
  'ratings.disclosed': 'one',
  'comments.shown': 'one',
  'comment.written': 'one',
  'comment.changed': 'one',
  'decision.made': 'one',
  'decisions.listed': 'any',
  'decisions.newest': 'any',
  'decision.exported': 'any',
  'interview.summary': 'one',
  'buffer.expired': 'one',
  'delivery.notice': 'any',
  'delivery.delivered': 'one',
  'delivery.unconfirmed': 'one',
  'delivery.failed': 'one',
  'delivery.blocked': 'one',
  'delivery.unblocked': 'one',
  'attention.needed': 'one',
  'attention.settled': 'one',
  'attention.replayed': 'topic',
};
