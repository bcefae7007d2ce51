import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { describeError } from '../../common/errors';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { LiveReplies } from '../../streams';
import { TurnRepository, type TurnRow } from './turn.repository';
import { PendingAnswers } from '../answer-status.repository';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { type TurnDecision, paragraphs } from '../plan/verdicts';
import { type InterviewState, markQuestion, readState, waitingQuestion } from '../plan/state';
import { textIn } from '../plan/plan-texts';
import { textsOf, wording } from '../texts/texts';
import { MessageRepository } from '../transcript/message.repository';
import { SystemMessages } from '../transcript/system-messages';
import { agentFor } from '../prompts/instructions';
import { PlanProgress } from './plan-progress';

const CHECK_MS = 1000;

/**
 * Stops the replies that this process writes when their candidate asks for it. The request is a
 * column of the turn, which is read when the conversation has changed, here or on another replica,
 * and once a second.
 */
@Injectable()
export class StopRequests {
  private readonly logger = new Logger('Turns');
  private readonly running = new Map<string, { turnId: string; controller: AbortController }>();

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly turns: TurnRepository,
    private readonly live: LiveReplies,
  ) {}

  /** Registers a reply; its signal aborts when the candidate stops it. */
  start(turn: { conversationId: string; id: string }): {
    readonly stopped: AbortSignal;
    end(): void;
  } {
    const { conversationId, id: turnId } = turn;
    const entry = { turnId, controller: new AbortController() };
    this.running.set(conversationId, entry);
    const unwatch = this.live.watch(conversationId, (signal) => {
      if (signal === 'rows') void this.checkOnSchedule();
    });
    return {
      stopped: entry.controller.signal,
      end: () => {
        unwatch();
        if (this.running.get(conversationId) === entry) this.running.delete(conversationId);
      },
    };
  }

  @Interval(CHECK_MS)
  async checkOnSchedule(): Promise<void> {
    await this.check().catch((error: unknown) => {
      this.logger.debug(
        `stop requests could not be read; they are read again: ${describeError(error)}`,
      );
    });
  }

  /** Stops the replies whose turns were asked to stop, or were erased. */
  async check(): Promise<void> {
    const entries = [...this.running.values()];
    if (entries.length === 0) return;
    const turnIds = entries.map(({ turnId }) => turnId);
    const toStop = await this.units.run('turn.watch', (uow) =>
      uow.commitOne('turn.watch', (tx) => this.turns.listToStop(tx, turnIds)),
    );
    for (const { turnId, controller } of entries) if (toStop.has(turnId)) controller.abort();
  }
}

/**
 * Continues the interview after a reply that the candidate has stopped.
 *
 *   reply ──Stop──> stopped: its text stays, the plan does not move, what it would have decided is kept
 *   stopped ──the candidate writes──> the next turn replies as usual
 *   stopped ──Continue──> the rest is said by code: the plan moves, and the next question follows
 *
 * Continuing asks no model, because the answer has had its one request. Where the decision is not known
 * (a crash came between), or does not end with a question, the open question is said again.
 */
@Injectable()
export class StoppedReplies {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly turns: TurnRepository,
    private readonly answers: PendingAnswers,
    private readonly messages: MessageRepository,
    private readonly systemMessages: SystemMessages,
    private readonly progress: PlanProgress,
  ) {}

  /** Changes nothing when no reply was stopped, or when something was written since. */
  async continue(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.status !== 'active' || conversation.owner !== 'model') return;
    const stopped = await this.turns.findStopped(tx, conversationId);
    if (stopped === undefined || (await this.hasGoneOn(tx, stopped))) return;
    await this.say(tx, conversation, stopped, continuationOf(conversation, stopped.unfinished));
  }

  /** An answer is being collected or replied to, or the interviewer has said something else. */
  private async hasGoneOn(tx: Tx, stopped: TurnRow): Promise<boolean> {
    const { conversationId, replyText, replyMessageId } = stopped;
    if ((await this.answers.findOldestLive(tx, conversationId)) !== undefined) return true;
    if (replyText === '') return false;
    return (await this.messages.findLast(tx, conversationId, 'assistant'))?.id !== replyMessageId;
  }

  private async say(
    tx: Tx,
    conversation: ConversationRow,
    stopped: TurnRow,
    { decision, text }: Continuation,
  ): Promise<void> {
    const plan = conversation.plan;
    const state = readState(conversation.state);
    const turn = {
      id: stopped.id,
      conversationId: conversation.id,
      plan,
      state,
      agent: agentFor(plan, state, conversation.status),
      language: conversation.language,
      context: { status: conversation.status },
      speaker: { kind: 'scripted', failure: null },
    } as const;
    await this.progress.changeToCloser(tx, turn, { decision });
    const isSaid = await this.systemMessages.send(tx, conversation, {
      role: 'assistant',
      // Once for each stopped reply, however often the candidate asks.
      externalId: `continued:${stopped.id}`,
      text,
      question: markQuestion(plan, decision?.state ?? state, text),
    });
    if (isSaid && decision !== null) {
      await this.progress.advance(tx, conversation, turn, { decision });
    }
  }
}

interface Continuation {
  /** Null: the plan stays where it is. */
  readonly decision: TurnDecision | null;
  readonly text: string;
}

function continuationOf(conversation: ConversationRow, unfinished: unknown): Continuation {
  const state = readState(conversation.state);
  const decision = asDecision(unfinished, state);
  if (decision !== null && decision.tail.trim() !== '') return { decision, text: decision.tail };
  const { backToQuestion } = textsOf(conversation.language);
  const waiting = waitingQuestion(conversation.plan, state);
  const question = waiting === undefined ? '' : textIn(waiting, conversation.language);
  const text = paragraphs(wording(backToQuestion, conversation.interviewStep), question);
  // A push-back counts as asked; a question whether to stop does not, because it was cut off.
  return { decision: decision?.verdict === 'vague' ? decision : null, text };
}

/** The decision, if it belongs to the question that waits now. */
function asDecision(stored: unknown, state: InterviewState): TurnDecision | null {
  if (stored === null || typeof stored !== 'object' || !('state' in stored)) return null;
  const decision = stored as TurnDecision;
  const isOfThis = readState(decision.state).settled.length >= state.settled.length;
  return isOfThis ? decision : null;
}
