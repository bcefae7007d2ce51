import { ledgerSubjectOf } from '../turn/turn.repository';
import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../../common/errors';
import type { Label, Tx } from '../../common/uow';
import { KnowledgeRepository } from '../../knowledge';
import { Completions } from '../../llm';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import {
  buildInterviewRequest,
  MAX_ANSWER_LENGTH,
  MAX_LINE_LENGTH,
} from '../prompts/interview-request';
import {
  filledPrompt,
  mayBeShown,
  PROMPT_FORM,
  type PromptTexts,
  type StoredPrompt,
} from '../prompts/turn-prompt';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import { type MessageRow, MessageRepository } from '../transcript/message.repository';
import { searchesOf } from '../transcript/turn-events';
import {
  fingerprintOf,
  type ModelOutput,
  type ReplyRequest,
  ReplyRequestRepository,
} from './reply-request.repository';

/** Asks a model again for a reply, and compares. It stores nothing but the ledger's rows. */
@Injectable()
export class ReplyReplay {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly events: ConversationEventRepository,
    private readonly requests: ReplyRequestRepository,
    private readonly knowledge: KnowledgeRepository,
    private readonly model: Completions,
  ) {}

  /** One request, as the reply's last one was sent. Throws ReplyUnknownError and ReplyObjectedError. */
  async replay(
    commit: <T>(label: Label, work: (tx: Tx) => Promise<T>) => Promise<T>,
    {
      replyId,
      note,
    }: {
      readonly replyId: string;
      /** Called with the conversation, in a commit before the request. */
      readonly note: (tx: Tx, conversationId: string) => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<ReplayedReply> {
    const { asked, texts } = await commit('replay.open', async (tx) => {
      const opened = await this.open(tx, replyId);
      await note(tx, opened.asked.conversationId);
      return opened;
    });
    const request = buildInterviewRequest(filledPrompt(asked.input, texts));
    const fingerprint = fingerprintOf(request);
    const changed: ChangedPart[] = [
      ...(asked.model === this.model.model ? [] : ['model' as const]),
      ...(JSON.stringify(asked.parameters) === JSON.stringify(fingerprint.parameters)
        ? []
        : ['parameters' as const]),
      ...(asked.promptHash === fingerprint.promptHash ? [] : ['prompt' as const]),
      ...(asked.inputHash === fingerprint.inputHash ? [] : ['input' as const]),
    ];
    const { answerId, conversationId } = asked;
    const replayed = { replyId, conversationId, changed };
    // Checked again in the commit that records the request: an erasure may have come since.
    const admit = async (tx: Tx): Promise<void> => {
      await this.open(tx, replyId);
    };
    const result = await this.model.complete(
      { subject: ledgerSubjectOf(answerId), purpose: 'replay', admit, ...request },
      signal,
    );
    // Nothing is shown of somebody who was erased while the model wrote.
    await commit('replay.close', admit);
    if (!result.ok) return { ...replayed, differences: null, failure: result.reason };
    const before = asked.output ?? { text: '', calls: [] };
    return { ...replayed, differences: differencesOf(before, result.value), failure: null };
  }

  private async open(
    tx: Tx,
    replyId: string,
  ): Promise<{ readonly asked: ReplyRequest; readonly texts: PromptTexts }> {
    const asked = await this.requests.findOfReply(tx, replyId);
    // Locked, so that it stays as it is until the commit.
    const conversation = asked && (await this.conversations.lock(tx, asked.conversationId));
    if (asked === undefined || conversation === undefined) {
      throw new ReplyUnknownError(`There is no reply ${replyId} that a model wrote.`);
    }
    // What an earlier version stored has other fields, so the same request cannot be built from it.
    if (asked.input.form !== PROMPT_FORM) {
      throw new ReplyUnknownError(
        `The prompt of the reply ${replyId} was stored by an earlier version of Colloquy, which built prompts in another form: it cannot be sent again.`,
      );
    }
    const plan = conversation.plan;
    const documents = await this.knowledge.findPassages(tx, asked.input.documents ?? []);
    const searches = searchesOf(await this.events.list(tx, asked.turnId));
    const messages = await this.messagesOf(tx, conversation.id, asked.input);
    await this.assertMayBeRead(tx, conversation, messages);
    return { asked, texts: { plan, documents, searches, messages } };
  }

  private async assertMayBeRead(
    tx: Tx,
    conversation: ConversationRow,
    messages: ReadonlyMap<string, MessageRow>,
  ): Promise<void> {
    const { id, status } = conversation;
    const why =
      (await this.conversations.objectedAt(tx, id)) !== null
        ? 'objected to automated processing'
        : status === 'withdrawn' || status === 'declined'
          ? 'has withdrawn'
          : [...messages.values()].every((line) => mayBeShown(line, conversation))
            ? null
            : 'wrote this under another consent than the one in force';
    if (why === null) return;
    throw new ReplyObjectedError(`The candidate ${why}, so nothing is sent to a model again.`);
  }

  /** Read with the bounds of the first time: see TurnPrompt and TurnOpening. */
  private async messagesOf(
    tx: Tx,
    conversationId: string,
    { history, buffers }: StoredPrompt,
  ): Promise<ReadonlyMap<string, MessageRow>> {
    const ids = history.map(({ id }) => id);
    const lines = [
      ...(await this.messages.listOf(tx, { conversationId, ids, chars: MAX_LINE_LENGTH + 1 })),
      ...(await this.messages.listOfAnswers(tx, buffers, MAX_ANSWER_LENGTH + 1)),
    ];
    return new Map(lines.map((line) => [line.id, line]));
  }
}

export interface ReplayedReply {
  readonly replyId: string;
  readonly conversationId: string;
  readonly changed: readonly ChangedPart[];
  /** Null: the model sent no whole completion; `failure` says why. */
  readonly differences: readonly FieldDifference[] | null;
  readonly failure: string | null;
}

/**
 * What changed since the reply was made. If anything did, a difference may come from it and not from
 * the model's randomness.
 */
export type ChangedPart = 'model' | 'parameters' | 'prompt' | 'input';

/** A field of what the model writes, such as `verdict` or `text`, that is not as it was. */
export interface FieldDifference {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** No model's reply with a stored request has this id, or the request was stored in an earlier form. */
export class ReplyUnknownError extends ColloquyError {
  readonly code = 'reply_unknown';
  readonly retryable = false;
}

/**
 * No model may read what the candidate wrote again: they objected to automated processing, withdrew, or wrote
 * it under another consent than the one in force.
 */
export class ReplyObjectedError extends ColloquyError {
  readonly code = 'reply_objected';
  readonly retryable = false;
}

function differencesOf(before: ModelOutput, after: ModelOutput): FieldDifference[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((field) => ({ field, before: was.get(field) ?? null, after: is.get(field) ?? null }))
    .filter((field) => field.before !== field.after);
}

/** The fields of the JSON that the model wrote; of anything else the whole text. */
function fieldsOf({ text, calls }: ModelOutput): Map<string, string> {
  const called = calls.map(({ name, input }) => `${name}(${JSON.stringify(input)})`);
  return new Map([
    ...Object.entries(objectIn(text) ?? { text }).map(
      ([field, value]) =>
        [field, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ...(called.length === 0 ? [] : [['calls', called.join('; ')] as const]),
  ]);
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
