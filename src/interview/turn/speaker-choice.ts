import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { TurnRepository } from './turn.repository';
import type { Language } from '../../vacancies';
import { SegmentRepository } from '../../streams';
import type { TurnEvent } from '../transcript/turn-events';
import { ModelAttempts } from './model-requests';
import { type Quotation, quotationOf } from './quotation';
import { type ScriptedFacts, type TurnContext, isInterviewerWanted } from '../plan/verdicts';
import { isAnswerWanted } from '../plan/after-end';
import { isSkip, plainWishOf, SKIP } from '../plan/phrases';
import type { InterviewPrompt } from '../prompts/interview-request';
import type { Flush } from '../../buffer';
import type { ConversationRow } from '../conversation.repository';
import type { MessageRow } from '../transcript/message.repository';
import type { TakenServer } from '../../llm';
import { isOwn, joined, mayBeShown, type StoredPrompt, TurnPrompt } from '../prompts/turn-prompt';
import { Settings } from '../../common/config';
import { ReturnTerms } from '../reminders/coming-back';
import { interviewerOf } from '../texts/disclosure';
import type { OpenedTurn } from './turn-opening';

/** Decides, inside `turn.open`, who writes the reply: the model, the scripted interviewer or code. */
@Injectable()
export class SpeakerChoice {
  constructor(
    private readonly prompt: TurnPrompt,
    private readonly attempts: ModelAttempts,
    private readonly turns: TurnRepository,
    private readonly segments: SegmentRepository,
    private readonly returns: ReturnTerms,
    private readonly settings: Settings,
  ) {}

  /** For a model, its prompt is read and its first request is opened in the ledger. */
  async choose(
    tx: Tx,
    draft: Omit<OpenedTurn, 'speaker'>,
    {
      conversation,
      answer,
      events,
      server,
    }: {
      readonly conversation: ConversationRow;
      readonly answer: readonly MessageRow[];
      readonly events: readonly TurnEvent[];
      readonly server: TakenServer;
    },
  ): Promise<Speaker> {
    const isUnanalysed = draft.context.isUnanalysed === true;
    const mayAnswer = !isUnanalysed && isAnswerWanted(draft.context);
    if (!isInterviewerWanted(draft.context) && !mayAnswer) return { kind: 'code' };
    // Checked first, whatever was written before it, so that no model reads /skip as an answer.
    const isSkipped = isSkip(answer.findLast(isOwn)?.text ?? '');
    const isPlain = isSkipped || draft.context.isLater === true;
    if (isPlain || !this.mayAskModel(conversation) || isUnanalysed) {
      const shownLines = answer.filter((line) => mayBeShown(line, conversation) && isOwn(line));
      const said = isSkipped ? SKIP : joined(shownLines);
      return {
        kind: 'scripted',
        said,
        quotation: await this.quotationFor(tx, draft, said),
        facts: await this.prompt.factsFor(tx, draft),
        failure: isUnanalysed ? await this.attempts.lastFailure(tx, draft.answerId) : null,
      };
    }
    const asked = await this.prompt.promptFor(tx, draft, conversation, answer, events);
    const attemptId = await this.attempts.open(tx, draft, asked, server);
    return { kind: 'model', ...asked, attemptId, server };
  }

  /** Null: the answer is not one question, or the documents do not cover it. */
  private async quotationFor(
    tx: Tx,
    { vacancyId }: Pick<OpenedTurn, 'vacancyId'>,
    said: string,
  ): Promise<Quotation | null> {
    if (said.length > LONGEST_QUESTION || plainWishOf(said) !== 'question') return null;
    const question = said.normalize('NFC');
    return quotationOf(question, await this.prompt.passagesWith(tx, vacancyId, question));
  }

  /** Whether questions of the candidate can be answered from documents. */
  async canAnswer(tx: Tx, conversation: ConversationRow): Promise<boolean> {
    if (!this.mayAskModel(conversation)) return false;
    return this.prompt.hasDocuments(tx, conversation.vacancyId);
  }

  /** Until when the candidate can come back, if they go on later. */
  comingBack(
    tx: Tx,
    conversation: ConversationRow,
    said: string,
    language: Language,
  ): Promise<NonNullable<TurnContext['comingBack']>> {
    return this.returns.read(tx, conversation, said, language);
  }

  /** The model has failed on this answer for good: the interview goes on without it. */
  async isModelGivenUp(tx: Tx, flush: Flush): Promise<boolean> {
    return this.settings.llm.apiKey !== '' && (await this.attempts.areUsedUp(tx, flush));
  }

  /**
   * The known text of a reply that was stopped. Empty if a person of the team has written since the
   * turn began, even if they returned the interview: no interviewer's text comes after theirs.
   */
  async textOfStopped(tx: Tx, turnId: string): Promise<string> {
    if (await this.turns.isOvertaken(tx, turnId)) return '';
    return this.segments.lastText(tx, turnId);
  }

  private mayAskModel({ consent }: ConversationRow): boolean {
    return interviewerOf(this.settings, consent?.version) === 'ai';
  }
}

/** In UTF-16 units: more is no question that a quotation answers. */
const LONGEST_QUESTION = 300;

/**
 * Who writes the reply. `model`: a model is asked. `scripted`: the plan's own interviewer, without
 * a model. `code`: no model may see the answer (no consent, or the interview is over).
 */
export type Speaker =
  | {
      readonly kind: 'model';
      readonly prompt: InterviewPrompt;
      /** The same prompt as the ledger stores it. */
      readonly stored: StoredPrompt;
      /** The id of the next request, which the ledger shows as sent. */
      readonly attemptId: string;
      readonly server: TakenServer;
    }
  /**
   * `said`: the answer, for the few phrases that the scripted interviewer understands; `facts`: what it can
   * say; `quotation`: what the documents say to a question; `failure`: how the last request to the model ended, if
   * it failed on this answer.
   */
  | {
      readonly kind: 'scripted';
      readonly said: string;
      readonly facts: Omit<ScriptedFacts, 'quoted'>;
      readonly quotation: Quotation | null;
      readonly failure: string | null;
    }
  | { readonly kind: 'code' };
