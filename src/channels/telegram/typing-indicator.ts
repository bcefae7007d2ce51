import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { UnitOfWorkFactory } from '../../common/uow';
import { type LiveReply, LiveReplies, type ReplyObserver } from '../../streams';
import { TelegramAccountRepository } from './account.repository';
import { BotApi, type CallOptions, BotPause } from './api/bot-api';
import { type ApiFailure, BotApiError } from './api/bot-api-errors';
import { draftOf } from './message-format';

/** Telegram shows the typing action for 5 s. */
const TYPING_EVERY_MS = 4000;
/** Telegram keeps a draft for 30 s, and takes about one message a second in a chat. */
const DRAFT_EVERY_MS = 1000;
const CALL_TIMEOUT_MS = 3000;
const RESUME_WITHIN_MS = 2000;
/** A reply that takes longer is no longer shown as being written. */
const LONGEST_MS = 180_000;
const MAX_DRAFT_ID = 2_147_483_647;
const NO_SUCH_METHOD = 404;

/**
 * Shows on Telegram that a reply is being written: the typing action and, where the Bot API has drafts,
 * the growing text. It is best effort: each call has a time limit, a failure is neither retried nor
 * logged, and the reply itself is delivered independently.
 */
@Injectable()
export class TypingIndicator implements ReplyObserver, OnModuleInit {
  private readonly shown = new Map<LiveReply, AbortController>();
  private hasDrafts = true;

  constructor(
    private readonly live: LiveReplies,
    private readonly units: UnitOfWorkFactory,
    private readonly accounts: TelegramAccountRepository,
    private readonly api: BotApi,
    private readonly pause: BotPause,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.live.observe(this);
  }

  onBegun(reply: LiveReply): void {
    const over = new AbortController();
    this.shown.set(reply, over);
    void this.show(reply, over.signal).catch(() => undefined);
  }

  onChanged(reply: LiveReply): void {
    if (reply.end === null) return;
    this.shown.get(reply)?.abort();
    this.shown.delete(reply);
  }

  onRowsChanged(): void {
    // Stored replies are sent by the queue `deliver`.
  }

  /** Stops all indicators. */
  stop(): void {
    for (const over of this.shown.values()) over.abort();
    this.shown.clear();
  }

  private async show(reply: LiveReply, over: AbortSignal): Promise<void> {
    const chatId = await this.chatOf(reply.origin.turnId);
    if (chatId === null || over.aborted) return;
    const late = new AbortController();
    const signal = AbortSignal.any([over, late.signal]);
    void this.clock.sleep(LONGEST_MS, over).then(() => {
      late.abort();
    });
    await Promise.all([this.type(chatId, signal), this.draft(chatId, reply, signal)]);
  }

  /** The chat of the turn; null: the answer did not come from Telegram. */
  private chatOf(turnId: string): Promise<number | null> {
    return this.units.run('telegram.typing_indicator', (uow) =>
      uow.commit('telegram.chat_of_turn', (tx) => this.accounts.chatOfTurn(tx, turnId)),
    );
  }

  private async type(chatId: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const params = { chat_id: chatId, action: 'typing' } as const;
      const next = this.clock.sleep(TYPING_EVERY_MS, signal);
      await this.attempt(() => this.api.call('sendChatAction', params, bounded(signal)), signal);
      await next;
    }
  }

  private async draft(chatId: number, reply: LiveReply, signal: AbortSignal): Promise<void> {
    const draft_id = (Number(reply.origin.turnId) % MAX_DRAFT_ID) + 1;
    let shown = '';
    while (!signal.aborted && this.hasDrafts) {
      const text = draftOf(reply.text);
      if (text !== shown) {
        shown = text;
        const params = { chat_id: chatId, draft_id, text };
        const failure = await this.attempt(
          () => this.api.callNewer('sendMessageDraft', params, bounded(signal)),
          signal,
        );
        if (failure?.kind === 'refused') {
          // A server without drafts refuses every call.
          if (failure.code === NO_SUCH_METHOD) this.hasDrafts = false;
          return;
        }
      }
      await this.clock.sleep(DRAFT_EVERY_MS, signal);
    }
  }

  /** Waits until the bot's pause is over, with jitter so that chats do not resume all at once. */
  private async waitForPause(signal: AbortSignal): Promise<void> {
    let leftMs = await this.pause.leftMs();
    while (leftMs > 0 && !signal.aborted) {
      await this.clock.sleep(leftMs + Math.random() * RESUME_WITHIN_MS, signal);
      leftMs = await this.pause.leftMs();
    }
  }

  /** Obeys the bot's pause, and stores one that this call gets. */
  private async attempt(
    call: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<ApiFailure | null> {
    try {
      await this.waitForPause(signal);
      if (signal.aborted) return null;
      await call();
      return null;
    } catch (error) {
      if (!(error instanceof BotApiError)) throw error;
      const { failure } = error;
      if (failure.kind === 'paused') await this.pause.begin(failure.forMs);
      return failure;
    }
  }
}

function bounded(signal: AbortSignal): CallOptions {
  return { signal, timeoutMs: CALL_TIMEOUT_MS, isIgnoredByHealth: true };
}
