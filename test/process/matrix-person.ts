import { repliesOf } from '../support/outside';
import { PROCESS_TIMEOUT_MS, until } from '../support/until';
import type { SeenChat } from '../../tools/fake-telegram/people/seen-chat';
import type { TelegramUser } from '../../tools/fake-telegram/people/telegram-user';
import type { Deployment } from './deployment';

const AGREE = "I agree, let's start";

/** A candidate on Telegram who gives one answer; its fate is read from the database and the chat. */
export class MatrixPerson {
  readonly said: string[] = [];

  private constructor(
    private readonly deployment: Deployment,
    readonly name: string,
    readonly user: TelegramUser,
    readonly conversationId: string,
    private readonly firstLines: number,
  ) {}

  /** Opens the vacancy's open link and agrees to the disclosure; returns after the first question. */
  static async begin(deployment: Deployment, name: string, token: string): Promise<MatrixPerson> {
    const user = deployment.telegram.user({ first_name: name });
    const { id } = user.user;
    const chat = deployment.telegram.chat(id);
    user.starts(token);
    await until(
      `${name} sees the disclosure`,
      () => chat.messages.some(({ buttons }) => buttons.flat().includes(AGREE)),
      PROCESS_TIMEOUT_MS,
    );
    user.presses(AGREE);
    const conversationId = await until(
      `${name} was asked the first question`,
      async () => {
        const [account] = await deployment.sql<{ conversation_id: string }>(
          `select a.conversation_id from telegram_account a
         where a.user_id = $1 and not exists (select 1 from telegram_bot_reply where chat_id = $1)
         and (select bool_and(state = 'sent') from delivery where chat = $1::text)`,
          [String(id)],
        );
        return account?.conversation_id;
      },
      PROCESS_TIMEOUT_MS,
    );
    return new MatrixPerson(deployment, name, user, conversationId, chat.botTexts.length);
  }

  get chatId(): number {
    return this.user.user.id;
  }

  get chat(): SeenChat {
    return this.deployment.telegram.chat(this.chatId);
  }

  /** The bot's messages after the first question. */
  get heard(): readonly string[] {
    return this.chat.botTexts.slice(this.firstLines);
  }

  writes(text: string): void {
    this.said.push(text);
    this.user.writes(text);
  }

  /** Writes a part of the answer and waits until it is stored. */
  async sends(text: string): Promise<void> {
    this.writes(text);
    await this.untilStored(text);
  }

  /** Writes the answer, waits until it is stored, and ends its quiet time. */
  async answers(text: string): Promise<void> {
    await this.sends(text);
    await this.endWindow();
  }

  async untilStored(text: string): Promise<void> {
    await until(
      `what ${this.name} wrote is stored`,
      async () => (await this.texts()).includes(text),
      PROCESS_TIMEOUT_MS,
    );
  }

  async endWindow(): Promise<void> {
    await this.deployment.endWindows(this.conversationId);
  }

  /** When the answer that is being collected will be due; null when none is being collected. */
  async dueAt(): Promise<Date | null> {
    const [job] = await this.deployment.sql<{ due_at: Date }>(
      `select due_at from job where queue = 'flush' and state = 'open' and key = $1`,
      [this.conversationId],
    );
    return job?.due_at ?? null;
  }

  /** The candidate's messages in the transcript. */
  async texts(): Promise<string[]> {
    const rows = await this.deployment.sql<{ text: string }>(
      `select text from message where conversation_id = $1 and role = 'user' order by seq`,
      [this.conversationId],
    );
    return rows.map(({ text }) => text);
  }

  /** How many of the candidate's messages have no delivered reply. */
  async withoutReply(): Promise<number> {
    const rows = await this.deployment.sql(
      `select 1 from message
       where conversation_id = $1 and role = 'user' and cleared_at is null`,
      [this.conversationId],
    );
    return rows.length;
  }

  /** The stored replies, and how many times each of them is in the chat. */
  async replies(): Promise<{ readonly text: string; readonly seen: number }[]> {
    const texts = await repliesOf(this.deployment.databaseUrl, this.conversationId);
    const seen = (text: string): number =>
      this.heard.filter((heard) => heard === text.trim()).length;
    return texts.map((text) => ({ text, seen: seen(text) }));
  }

  /** Outcomes of the requests to a model that were made for the answers, by purpose. */
  outcomes(purpose: string): Promise<string[]> {
    return this.deployment.outcomes(this.conversationId, purpose);
  }

  /** Model requests of the interview itself: one for each answer, whatever the number of attempts. */
  interviewRequests(): Promise<number> {
    return this.deployment.interviewRequests(this.conversationId);
  }

  /** Waits until every message has its reply and the stored replies are in the chat. */
  async untilReplied(): Promise<void> {
    await until(
      `${this.name} has a reply`,
      async () => {
        if ((await this.withoutReply()) > 0) return false;
        const replies = await this.replies();
        return replies.length > 0 && replies.every(({ seen }) => seen > 0);
      },
      PROCESS_TIMEOUT_MS,
    );
  }
}
