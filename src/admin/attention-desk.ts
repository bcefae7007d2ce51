import { Injectable } from '@nestjs/common';
import { type Principal, nameIn } from '../access';
import {
  AttentionClaims,
  AttentionClosedError,
  type AttentionItem,
  AttentionService,
  type Claim,
} from '../attention';
import { ProblemError } from '../common/http';
import type { Tx } from '../common/uow';
import { ConversationRepository, Takeovers } from '../interview';
import { type AuditEvent, AuditRepository } from '../privacy';
import { AnsweredQuestions } from './answered-questions';
import { Reach } from './reach';

/**
 * What people and programs do with an item of the attention list. Each method runs in the caller's commit: it locks
 * the conversation of the item, if there is one, then acts, and notes the act in the audit.
 *
 * A person who acts has the item from then on; if somebody else has it, they are told who (409 `attention_held`).
 * A key or a token acts without a claim, because it stands for no one person.
 */
@Injectable()
export class AttentionDesk {
  constructor(
    private readonly attention: AttentionService,
    private readonly claims: AttentionClaims,
    private readonly takeovers: Takeovers,
    private readonly conversations: ConversationRepository,
    private readonly answered: AnsweredQuestions,
    private readonly audit: AuditRepository,
    private readonly reach: Reach,
  ) {}

  /** `from`: who has it now, as the claim says, and whom it is taken from. */
  async claim(tx: Tx, principal: Principal, id: string, from?: string): Promise<AttentionItem> {
    const item = await this.lockedItem(tx, principal, id);
    await this.take(tx, principal, item, from);
    // Read after the claim, because whoever had it until then may have closed it.
    const claimed = await this.attention.get(tx, id);
    if (claimed.closedAt !== null) throw new AttentionClosedError('the item is closed already');
    await this.note(tx, principal, 'attention.claim', claimed);
    return claimed;
  }

  /** Whoever comes next may take it. Of an item that nobody has this changes nothing. */
  async release(tx: Tx, principal: Principal, id: string): Promise<AttentionItem> {
    const item = await this.lockedItem(tx, principal, id);
    const held = (await this.claims.of(tx, [item])).get(item.id);
    if (held !== undefined && held.heldBy !== principal.actor) throw heldProblem(held);
    await this.claims.release(tx, item, principal.actor);
    await this.note(tx, principal, 'attention.release', item);
    return item;
  }

  /** From now on no reply of the interviewer comes, and the candidate hears a person. */
  async takeOver(tx: Tx, principal: Principal, id: string, from?: string): Promise<AttentionItem> {
    const item = await this.lockedItem(tx, principal, id);
    const conversationId = this.attention.conversationOf(item);
    await this.take(tx, principal, item, from);
    await this.takeovers.take(tx, conversationId);
    await this.note(tx, principal, 'attention.take_over', item);
    return this.attention.get(tx, id);
  }

  /** The same for an interview that may have no item yet; returns the one that it has then. */
  async takeOverInterview(
    tx: Tx,
    principal: Principal,
    conversationId: string,
    from?: string,
  ): Promise<AttentionItem> {
    await this.reach.candidateOf(tx, principal, conversationId);
    await this.conversations.lockKnown(tx, conversationId);
    await this.takeovers.take(tx, conversationId);
    const open = await this.attention.openOf(tx, conversationId);
    const item = open.find(({ kind }) => kind === 'handed_over');
    if (item === undefined) throw new Error('an interview that was taken over has no item');
    await this.take(tx, principal, item, from);
    await this.note(tx, principal, 'attention.take_over', item);
    return item;
  }

  /** Writes to the candidate as a person, who has the interview from then on. */
  reply(
    tx: Tx,
    principal: Principal,
    id: string,
    { text, messageId }: { readonly text: string; readonly messageId: string | undefined },
  ): Promise<AttentionItem> {
    return this.write(tx, principal, id, (conversationId) =>
      this.takeovers.reply(tx, conversationId, text, messageId),
    );
  }

  /**
   * Answers the candidate's question and closes the item; the interview goes on as it was. An item that stands for an
   * interview with a person stays open until it is handed back. With `question`, the answer is kept in the vacancy's
   * documents under it.
   */
  answer(
    tx: Tx,
    principal: Principal,
    id: string,
    answer: {
      readonly text: string;
      readonly messageId: string | undefined;
      readonly question: string | undefined;
      readonly by: string;
    },
  ): Promise<AttentionItem> {
    const { text, messageId, question, by } = answer;
    const send = (conversationId: string): Promise<boolean> =>
      this.takeovers.answer(tx, conversationId, text, messageId);
    return this.write(tx, principal, id, send, async (item, conversationId) => {
      if (question !== undefined) {
        const conversation = await this.conversations.get(tx, conversationId);
        await this.answered.keep(tx, principal, conversation, { question, answer: text });
      }
      if (item.kind === 'handed_over') return;
      await this.attention.close(tx, item.id, by, 'answered');
      await this.letGo(tx, principal, item);
    });
  }

  /** Gives the interview back to the interviewer. */
  handBack(tx: Tx, principal: Principal, id: string, by: string): Promise<AttentionItem> {
    return this.act(tx, principal, id, 'attention.return', async (item) => {
      await this.takeovers.returnToModel(tx, this.attention.conversationOf(item), by);
      await this.letGo(tx, principal, item);
    });
  }

  close(
    tx: Tx,
    principal: Principal,
    id: string,
    { by, resolution }: { readonly by: string; readonly resolution: string },
  ): Promise<AttentionItem> {
    return this.act(tx, principal, id, 'attention.close', async (item) => {
      await this.attention.close(tx, item.id, by, resolution);
      await this.letGo(tx, principal, item);
    });
  }

  replay(tx: Tx, principal: Principal, id: string): Promise<AttentionItem> {
    return this.act(tx, principal, id, 'attention.replay', async (item) => {
      await this.attention.replay(tx, item.id, principal.actor);
      await this.letGo(tx, principal, item);
    });
  }

  /**
   * Somebody types a message to the candidate of the item: whoever has it has it for longer. The conversation whose
   * readers are to see it; null: somebody else has it, so nothing is shown.
   */
  async typing(tx: Tx, principal: Principal, id: string): Promise<string | null> {
    const item = await this.reach.item(tx, principal, id);
    const conversationId = this.attention.conversationOf(item);
    const held = (await this.claims.of(tx, [item])).get(item.id);
    if (held !== undefined && held.heldBy !== principal.actor) return null;
    if (held !== undefined) await this.claims.use(tx, item, principal.actor);
    return conversationId;
  }

  /**
   * Sends a message to the candidate. Where `send` says that it is known, the request is a repeated one: everything is
   * done, and whoever has the item now keeps it.
   */
  private async write(
    tx: Tx,
    principal: Principal,
    id: string,
    send: (conversationId: string) => Promise<boolean>,
    then?: (item: AttentionItem, conversationId: string) => Promise<void>,
  ): Promise<AttentionItem> {
    const item = await this.lockedItem(tx, principal, id);
    const conversationId = this.attention.conversationOf(item);
    if (await send(conversationId)) return this.attention.get(tx, id);
    // A refusal takes the message back.
    if (principal.userId !== null) await this.take(tx, principal, item);
    await then?.(item, conversationId);
    await this.note(tx, principal, 'attention.reply', item);
    return this.attention.get(tx, id);
  }

  private async act(
    tx: Tx,
    principal: Principal,
    id: string,
    action: AuditEvent['action'],
    work: (item: AttentionItem) => Promise<void>,
  ): Promise<AttentionItem> {
    const item = await this.lockedItem(tx, principal, id);
    if (principal.userId !== null) await this.take(tx, principal, item);
    await work(item);
    await this.note(tx, principal, action, item);
    return this.attention.get(tx, id);
  }

  /**
   * The lock of the conversation goes before all others. An item without one is not locked: whatever settles it may
   * hold a job that a replay waits for. Two people wait for each other at the claim. Throws AttentionUnknownError,
   * ConversationUnknownError.
   */
  private async lockedItem(tx: Tx, principal: Principal, id: string): Promise<AttentionItem> {
    const item = await this.reach.item(tx, principal, id);
    if (item.conversationId !== null) await this.conversations.lockKnown(tx, item.conversationId);
    return item;
  }

  private async take(
    tx: Tx,
    { actor }: Principal,
    item: AttentionItem,
    from?: string,
  ): Promise<void> {
    const { isTaken, claim } = await this.claims.take(tx, item, { by: actor, from: from ?? null });
    if (!isTaken) throw heldProblem(claim);
  }

  /** Whoever has the interview of a closed item has it still. */
  private async letGo(tx: Tx, { actor }: Principal, item: AttentionItem): Promise<void> {
    const { conversationId } = item;
    const isWithPerson =
      conversationId !== null &&
      (await this.conversations.find(tx, conversationId))?.owner === 'person';
    if (!isWithPerson) await this.claims.release(tx, item, actor);
  }

  /** About the conversation of the item; about the item where it has none. */
  private note(
    tx: Tx,
    { actor }: Principal,
    action: AuditEvent['action'],
    { id, conversationId }: AttentionItem,
  ): Promise<void> {
    return this.audit.note(tx, { actor, action, subjectId: conversationId ?? id });
  }
}

function heldProblem({ heldBy, since }: Claim): ProblemError {
  const at = since.toISOString();
  return new ProblemError(
    409,
    'attention_held',
    `${nameIn(heldBy)} has it since ${at.slice(0, 16).replace('T', ' ')} UTC.`,
    { details: { heldBy, since: at } },
  );
}
